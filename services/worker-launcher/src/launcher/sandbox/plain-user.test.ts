import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findControlGroups } from './control-groups.ts';
import { detectSandbox } from './detect.ts';

const PLAIN_UID = '23456';

interface ProbeAnswer {
  uid: number;
  identity: string;
  contained: { end: string; peak: number };
  taken: unknown;
  layered: unknown;
  overlay: unknown;
  report: unknown;
}

test('an ordinary user without capabilities gets the same walls, and processes are counted by the kernel', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'plain-test-'));
  chmodSync(directory, 0o777);
  try {
    const { code, stdout, stderr } = await runAsPlainUser('plain-user-probe.ts', directory);
    expect([code, stderr]).toEqual([0, '']);
    const answer = JSON.parse(stdout) as ProbeAnswer;
    expect(answer.uid).toBe(process.getuid?.() === 0 ? Number(PLAIN_UID) : process.getuid?.());
    expect(answer.identity.split('\n')[0]).toBe('1000');
    expect(answer.identity).not.toContain('CANARY');
    expect(answer.contained.peak).toBeLessThanOrEqual(50);
    expect(answer.taken).toMatchObject({
      kind: 'taken',
      changes: [{ path: 'b.txt', status: 'A' }],
    });
    expect(answer.layered).toMatchObject({
      kind: 'taken',
      changes: [
        { path: 'a.txt', status: 'D' },
        { path: 'closed/b.txt', status: 'A' },
      ],
    });
    expect(answer.overlay).toEqual({ usable: true });
    expect(answer.report).toMatchObject({
      usable: true,
      network: 'kernel',
      nestedUserNamespaces: 'kernel',
      processes: 'kernel',
      memory: 'sampled',
      fileSize: 'kernel',
    });
    // The last of it goes a moment after the launcher.
    await waitUntil(() => readdirSync(directory).length === 0);
  } finally {
    rmSync(directory, { recursive: true });
  }
}, 60_000);

test('the machine is reported as it is for this user, and a missing bubblewrap is said', async () => {
  expect(await detectSandbox()).toMatchObject({
    usable: true,
    network: 'kernel',
    memory: findControlGroups().controllers.includes('memory') ? 'kernel' : 'sampled',
  });
  const missing = await detectSandbox({ binary: '/nonexistent/bwrap' });
  expect(missing).toMatchObject({
    usable: false,
    problem: expect.stringContaining('install'),
    network: 'missing',
  });
}, 30_000);

test('a launcher that is killed takes its sandboxes with it', async () => {
  const marker = String(700_000 + (process.pid % 100_000));
  const program = `
    const { createBubblewrapDriver } = await import(${JSON.stringify(new URL('bubblewrap-driver.ts', import.meta.url).href)});
    const { shellSpec } = await import(${JSON.stringify(new URL('sandbox-fixture.ts', import.meta.url).href)});
    await createBubblewrapDriver().run(shellSpec("setsid sleep ${marker} & trap '' TERM; sleep ${marker}; :"));
  `;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: 'ignore',
  });
  await waitUntil(() => sleepers(marker) === 2);
  expect(sleepers(marker)).toBe(2);
  child.kill('SIGKILL');
  await waitUntil(() => sleepers(marker) === 0);
}, 30_000);

test('nothing is left of a sandbox whose launcher is killed while it is being set up', async () => {
  const marker = String(800_000 + (process.pid % 100_000));
  const program = `
    const { createBubblewrapDriver } = await import(${JSON.stringify(new URL('bubblewrap-driver.ts', import.meta.url).href)});
    const { shellSpec } = await import(${JSON.stringify(new URL('sandbox-fixture.ts', import.meta.url).href)});
    const driver = createBubblewrapDriver();
    await driver.run(shellSpec('true'));
    process.stdout.write('ready');
    for (let i = 0; i < 8; i += 1) void driver.run(shellSpec('sleep ${marker}'));
    const { readdirSync, readFileSync } = await import('node:fs');
    // Dies as soon as the first bash or bubblewrap with the marker is there: before any of them is a whole sandbox.
    for (;;) {
      await new Promise(setImmediate);
      for (const pid of readdirSync('/proc')) {
        let line = '';
        try { line = readFileSync('/proc/' + pid + '/cmdline', 'latin1'); } catch { continue; }
        if (line.includes('sleep ${marker}') && line.includes('bwrap')) process.kill(process.pid, 'SIGKILL');
      }
    }
  `;
  for (let round = 0; round < 3; round += 1) {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', program],
      {
        cwd: fileURLToPath(new URL('.', import.meta.url)),
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    let said = '';
    child.stdout.on('data', (piece) => (said += String(piece)));
    const signal = await new Promise((resolve) => child.once('close', (_, s) => resolve(s)));
    expect([said, signal]).toEqual(['ready', 'SIGKILL']);
    await waitUntil(() => withMarker(`sleep ${marker}`) === 0);
  }
}, 60_000);

function runAsPlainUser(
  program: string,
  directory: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const node = [
    process.execPath,
    '--import',
    'tsx',
    fileURLToPath(new URL(program, import.meta.url)),
  ];
  const asUser = [
    '/usr/bin/setpriv',
    '--reuid',
    PLAIN_UID,
    '--regid',
    PLAIN_UID,
    '--clear-groups',
    '--inh-caps=-all',
  ];
  const [command, ...args] = process.getuid?.() === 0 ? [...asUser, ...node] : node;
  return new Promise((resolve, reject) => {
    const child = spawn(command ?? '', args, {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      env: { PATH: '/usr/bin:/bin', TMPDIR: directory, TSX_DISABLE_CACHE: '1', CANARY: 'yes' },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (piece) => (stdout += String(piece)));
    child.stderr.on('data', (piece) => (stderr += String(piece)));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

function sleepers(marker: string): number {
  return countCommandLines((line) => line === `sleep\0${marker}\0`);
}

function withMarker(marker: string): number {
  return countCommandLines((line) => line.includes(marker) && line.includes('bwrap'));
}

function countCommandLines(matches: (line: string) => boolean): number {
  let found = 0;
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      if (matches(readFileSync(`/proc/${pid}/cmdline`, 'latin1'))) found += 1;
    } catch {
      // It ended between the listing and the reading.
    }
  }
  return found;
}

async function waitUntil(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 200; i += 1) {
    if (holds()) return;
    await sleep(50);
  }
  throw new Error('it did not come to be within 10 s');
}
