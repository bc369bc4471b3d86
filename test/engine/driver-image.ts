/**
 * An image in which sandboxes of tests run, made of programs of this very machine and nothing from a registry: what a step
 * and a collector need, the collector's program, and the scripted agent. Made anew for each engine, which takes seconds.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IMAGE_NODE } from '../../services/worker-launcher/src/launcher/sandbox/docker-driver.ts';
import { SCRIPTED_AGENT_PATH } from '../support/agent/script.ts';

const PACKAGES = [
  'bash',
  'coreutils',
  'dash',
  'findutils',
  'git',
  'grep',
  'mawk',
  'perl-base',
  'procps',
  'sed',
  'util-linux',
];
const LEFT_OUT = /^\/usr\/(share\/(doc|man|locale|info|lintian|bash-completion)|sbin)\/|^\/etc\//;
const COLLECTOR = fileURLToPath(
  new URL('../../services/worker-launcher/src/launcher/collector/inside/', import.meta.url),
);
const IDENTITY = {
  passwd: 'root:x:0:0::/root:/bin/sh\nagent:x:20000:20000::/home/agent:/bin/bash\n',
  group: 'root:x:0:\nagent:x:20000:\n',
};
const MOUNT_POINTS = ['work', 'in', 'out', 'history', 'c/mirror', 'c/run', 'c/merged', 'm'];

/** Imports the image into the engine that `env` leads to. @returns its id */
export async function importSandboxImage(env: Readonly<Record<string, string>>): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'sandbox-image-'));
  try {
    const list = join(directory, 'list');
    writeFileSync(list, listPrograms().join('\0'));
    const own = join(directory, 'own');
    makeOwnFiles(own);
    const change = 'ENV PATH=/usr/local/bin:/usr/bin:/bin';
    const loading = spawn('docker', ['import', '--change', change, '-'], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const packing = spawn(
      'tar',
      ['-c', '--numeric-owner', '-C', own, '.', '-C', '/', '--null', '--no-recursion', '-T', list],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    loading.stdin.on('error', () => undefined);
    packing.stdout.pipe(loading.stdin);
    loading.once('close', () => packing.kill('SIGKILL'));
    let id = '';
    loading.stdout.on('data', (piece: Buffer) => (id += piece.toString()));
    await Promise.all([once(packing, 'close'), once(loading, 'close')]);
    if (packing.exitCode !== 0 || loading.exitCode !== 0) throw new Error('no image can be made');
    return id.trim();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The files of the packages with every library that one of them loads, by names without a leading slash. */
function listPrograms(): string[] {
  const listed = execFileSync('dpkg-query', ['-L', ...PACKAGES])
    .toString()
    .split('\n')
    .filter((path) => path.startsWith('/') && existsSync(path))
    .map((path) => join(realpathSync(dirname(path)), basename(path)))
    .filter((path) => !LEFT_OUT.test(path));
  const programs = listed.filter((path) => /^\/usr\/(bin|lib\/git-core)\/./.test(path));
  const loaded = librariesOf([...programs, process.execPath]);
  const alternatives = ['/usr/bin/awk', '/etc/alternatives/awk', '/usr/bin/sh'].filter(existsSync);
  return (
    [...new Set([...listed, ...loaded, ...alternatives])]
      // The engine makes the directories above a file, and takes none that comes twice.
      .filter((path) => /^\/.+\//.test(path) && !lstatSync(path).isDirectory())
      .map((path) => path.slice(1))
  );
}

function librariesOf(programs: readonly string[]): string[] {
  const found = new Set<string>();
  // Scripts among them make it fail, and the rest is told all the same.
  const { stdout } = spawnQuietly('ldd', programs);
  for (const [, path] of stdout.matchAll(/(?:=> |^\t)(\/\S+) \(0x/gm)) {
    if (path === undefined) continue;
    const name = join(realpathSync(dirname(path)), basename(path));
    found.add(name).add(realpathSync(name));
  }
  return [...found];
}

function spawnQuietly(program: string, args: readonly string[]): { stdout: string } {
  try {
    const stdout = execFileSync(program, args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 26,
    });
    return { stdout: stdout.toString() };
  } catch (error) {
    return { stdout: String((error as { stdout?: Buffer }).stdout ?? '') };
  }
}

function makeOwnFiles(own: string): void {
  for (const name of [...MOUNT_POINTS, 'etc', 'tmp', 'home/agent', 'usr/local/bin', 'agent']) {
    mkdirSync(join(own, name), { recursive: true });
  }
  for (const name of readdirSync('/').filter((n) => /^(bin|sbin|lib\d*|libx32)$/.test(n))) {
    symlinkSync(`usr/${name}`, join(own, name));
  }
  for (const [name, content] of Object.entries(IDENTITY)) {
    writeFileSync(join(own, 'etc', name), content);
  }
  cpSync(realpathSync(process.execPath), join(own, IMAGE_NODE));
  // Agents of tests are started by the path that Node has on this machine.
  const here = join(own, process.execPath);
  mkdirSync(dirname(here), { recursive: true });
  if (!existsSync(here)) symlinkSync(IMAGE_NODE, here);
  cpSync(COLLECTOR, join(own, 'collector'), { recursive: true });
  cpSync(SCRIPTED_AGENT_PATH, join(own, 'agent/scripted-agent.mjs'));
}
