/**
 * An image without a registry: Debian's static busybox, its names, and nothing else. Small enough to be imported anew in
 * every run, so that no test depends on what an earlier one left in an engine.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install } from '../../compose/engine.ts';
import { mustRun } from '../../compose/run-program.ts';
import { callEngine } from './call-engine.ts';

const BUSYBOX = '/bin/busybox';
const PROGRAMS = [
  ...[
    'sh',
    'cat',
    'chmod',
    'cp',
    'date',
    'dd',
    'echo',
    'env',
    'false',
    'grep',
    'head',
    'hostname',
    'id',
    'ip',
    'kill',
  ],
  ...[
    'ln',
    'ls',
    'mkdir',
    'mkfifo',
    'mknod',
    'mount',
    'mv',
    'nc',
    'ps',
    'readlink',
    'rm',
    'seq',
    'sleep',
    'stat',
  ],
  ...['tail', 'test', 'touch', 'tr', 'true', 'ulimit', 'wc', 'yes'],
];

/** Imports it, with changes as an engine's import knows them (`LABEL a=b`), and tells its id (`sha256:…`). */
export async function importBusybox(
  socket: string,
  options: { repo?: string; changes?: readonly string[] } = {},
): Promise<string> {
  await install(['busybox'], ['busybox-static'], () => undefined);
  const work = mkdtempSync(join(tmpdir(), 'sp-busybox-'));
  try {
    const root = join(work, 'root');
    mkdirSync(join(root, 'bin'), { recursive: true });
    for (const name of ['etc', 'tmp', 'work', 'home']) mkdirSync(join(root, name));
    cpSync(existsSync(BUSYBOX) ? BUSYBOX : '/usr/bin/busybox', join(root, 'bin/busybox'));
    for (const name of PROGRAMS) symlinkSync('busybox', join(root, 'bin', name));
    const archive = join(work, 'root.tar');
    await mustRun([
      'tar',
      '-C',
      root,
      '--numeric-owner',
      '--owner=0',
      '--group=0',
      '-cf',
      archive,
      '.',
    ]);
    const query = new URLSearchParams({
      fromSrc: '-',
      repo: options.repo ?? 'test/busybox',
      tag: 'latest',
    });
    for (const change of options.changes ?? []) query.append('changes', change);
    const answer = await callEngine(
      socket,
      'POST',
      `/images/create?${query.toString()}`,
      readFileSync(archive),
      {
        'content-type': 'application/x-tar',
      },
    );
    const id = /sha256:[0-9a-f]{64}/.exec(answer.body.toString('utf8'))?.[0];
    if (answer.status !== 200 || id === undefined)
      throw new Error(`importing an image: ${answer.status} ${answer.body.toString('utf8')}`);
    return id;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
