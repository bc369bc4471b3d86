import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { detectSandbox } from './detect.ts';

const PLAIN_UID = '23456';

interface ProbeAnswer {
  uid: number;
  identity: string;
  contained: { end: string; peak: number };
  taken: unknown;
  report: unknown;
}

test('an ordinary user without capabilities gets the same walls, and processes are counted by the kernel', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'plain-test-'));
  chmodSync(directory, 0o777);
  try {
    const { code, stdout, stderr } = await runAsPlainUser('plain-user-probe.ts', directory);
    expect([code, stderr]).toEqual([0, '']);
    const answer = JSON.parse(stdout) as ProbeAnswer;
    if (process.getuid?.() === 0) expect(answer.uid).toBe(Number(PLAIN_UID));
    expect(answer.identity.split('\n')[0]).toBe('1000');
    expect(answer.identity).not.toContain('CANARY');
    expect(answer.contained.peak).toBeLessThanOrEqual(50);
    expect(answer.taken).toMatchObject({
      kind: 'taken',
      changes: [{ path: 'b.txt', status: 'A' }],
    });
    expect(answer.report).toMatchObject({
      usable: true,
      network: 'kernel',
      nestedUserNamespaces: 'kernel',
      processes: 'kernel',
      memory: 'sampled',
      fileSize: 'kernel',
    });
    expect(readdirSync(directory)).toEqual([]);
  } finally {
    rmSync(directory, { recursive: true });
  }
}, 60_000);

test('the machine is reported as it is for this user, and a missing bubblewrap is said', async () => {
  expect(await detectSandbox()).toMatchObject({
    usable: true,
    network: 'kernel',
    memory: 'sampled',
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
  child.kill('SIGKILL');
  await waitUntil(() => sleepers(marker) === 0);
}, 30_000);

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
  let found = 0;
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'latin1') === `sleep\0${marker}\0`) found += 1;
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
