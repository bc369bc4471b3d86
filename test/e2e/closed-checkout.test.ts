/**
 * The command in a checkout that other users cannot enter, such as one in root's home directory, and as a user who cannot
 * hand out others: the walls stand, or what is missing is said.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { requireRoot } from '../support/local/look-as.ts';

const ROOT = join(import.meta.dirname, '../..');
const NOBODY = 65_534;
const AS_NOBODY = ['--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'];
// The same files at a place below a closed directory, in a mount namespace of the command's own.
const CLOSED =
  'mount --bind "$1" "$2/checkout" || exit; command=$2/checkout/sallyport; shift 2; cd /; exec "$command" "$@"';

let place: string;
beforeAll(requireRoot);
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'sp-closed-'));
  chmodSync(place, 0o700);
  mkdirSync(join(place, 'checkout'));
});
afterEach(() => {
  // Not recursively: should the checkout still be mounted there, it must survive.
  rmdirSync(join(place, 'checkout'));
  rmSync(place, { recursive: true });
});

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

function run(argv: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

/** Runs the command from a checkout below the closed directory. */
function runClosed(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  return run(['unshare', '--mount', '/bin/sh', '-c', CLOSED, 'sh', ROOT, place, ...args], env);
}

function lastAnswer({ stdout }: Outcome): unknown {
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}

it('publishes in the demo, with all walls, from a checkout that nobody else can enter', async () => {
  const entered = spawnSync('setpriv', [...AS_NOBODY, 'ls', join(place, 'checkout')]);
  expect(entered.status).not.toBe(0);
  const outcome = await runClosed(['demo', '--json']);
  expect(outcome.stderr).not.toContain('warning:');
  expect(lastAnswer(outcome)).toMatchObject({ ok: true, task: { state: 'published' } });
  expect(outcome.code).toBe(0);
});

it('refuses to keep data where its processes cannot go, naming the setting', async () => {
  const config = join(place, 'sallyport.yaml');
  for (const file of ['key', 'secret', 'agents.json']) writeFileSync(join(place, file), '{}');
  writeFileSync(
    config,
    'github: {appId: 1, appSlug: s, privateKeyFile: key, webhookSecretFile: secret}\nagentsFile: agents.json\n',
  );
  const database = join(place, 'database-url');
  writeFileSync(database, 'postgres://nobody@127.0.0.1:1/nothing');
  const env = { SALLYPORT_STATE_DIR: join(place, 'state'), DATABASE_URL_FILE: database };
  const outcome = await runClosed(['up', '--config', config, '--json'], env);
  expect(outcome.code).not.toBe(0);
  expect(lastAnswer(outcome)).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('set SALLYPORT_STATE_DIR') as string },
  });
  // A place that they can enter is not refused: what stops it then is the database, which is none.
  chmodSync(place, 0o711);
  const other = await runClosed(['up', '--config', config, '--json'], env);
  expect(other.code).not.toBe(0);
  expect(JSON.stringify(lastAnswer(other))).toContain('ECONNREFUSED');
});

it('runs for a user who is not root, and says which wall is missing', async () => {
  const state = join(place, 'state');
  mkdirSync(state);
  for (const path of [place, state]) chownSync(path, NOBODY, NOBODY);
  const outcome = await run(['setpriv', ...AS_NOBODY, join(ROOT, 'sallyport'), 'demo', '--json'], {
    SALLYPORT_STATE_DIR: state,
    HOME: '/nonexistent',
  });
  expect(outcome.stderr).toContain('warning: all processes run under one OS user');
  expect(lastAnswer(outcome)).toMatchObject({ ok: true, task: { state: 'published' } });
});

it('tells a user who cannot write its state what to set', async () => {
  const outcome = await run(['setpriv', ...AS_NOBODY, join(ROOT, 'sallyport'), 'demo', '--json'], {
    SALLYPORT_STATE_DIR: place,
    HOME: '/nonexistent',
  });
  expect(outcome.code).not.toBe(0);
  expect(lastAnswer(outcome)).toMatchObject({
    ok: false,
    error: {
      code: 'unavailable',
      message: expect.stringContaining('SALLYPORT_STATE_DIR') as string,
    },
  });
});
