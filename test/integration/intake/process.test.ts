/**
 * Intake as the process that it is: what it costs, what it refuses to start with, and that a kill between the commit and
 * the answer loses nothing and doubles nothing.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';
import { deliver, SECRET } from './intake-client.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MEMORY_LIMIT_MIB = 150;

let deployment: TestDeployment;
let dir: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  deployment = await createTestDeployment();
  dir = mkdtempSync(join(tmpdir(), 'sallyport-intake-'));
  writeFileSync(join(dir, 'secret'), `${SECRET}\n`);
  writeFileSync(join(dir, 'database'), deployment.urls.intake);
  writeFileSync(join(dir, 'redis'), deployment.redisUrl);
});
afterEach(async () => {
  await Promise.all(
    children.splice(0).map((child) => {
      if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill('SIGTERM');
      return ended;
    }),
  );
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await deployment.close();
});

interface Running {
  child: ChildProcess;
  port: number;
  ended: Promise<number | string | null>;
}

function start(changes: Record<string, string | undefined>): {
  child: ChildProcess;
  ended: Running['ended'];
  output: () => string;
} {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(ROOT, 'services/intake/src/main.ts')],
    {
      cwd: join(ROOT, 'services/intake'),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        TMPDIR: dir,
        DEPLOYMENT_ID: deployment.id,
        DATABASE_URL_FILE: join(dir, 'database'),
        REDIS_URL_FILE: join(dir, 'redis'),
        WEBHOOK_SECRET_FILE: join(dir, 'secret'),
        PORT: '0',
        ...changes,
      },
    },
  );
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (output += data.toString()));
  const ended = new Promise<number | string | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code));
  });
  return { child, ended, output: () => output };
}

async function startListening(changes: Record<string, string> = {}): Promise<Running> {
  const { child, ended, output } = start(changes);
  let port: number | undefined;
  await expect
    .poll(() => (port = Number(/"port":(\d+),"msg":"listening"/.exec(output())?.[1] ?? 0)), {
      timeout: 20_000,
    })
    .toBeGreaterThan(0);
  return { child, port: port ?? 0, ended };
}

function memoryMib(pid: number): number {
  const pss = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(pss) / 1024;
}

it(`needs less than ${MEMORY_LIMIT_MIB} MiB once it has worked`, async () => {
  const { child, port } = await startListening();
  for (let i = 0; i < 20; i += 1) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => deliver({ port }, '{"a":1}')),
    );
    expect(answers.every((answer) => answer.status === 202)).toBe(true);
  }
  const mib = memoryMib(child.pid ?? 0);
  expect(mib).toBeGreaterThan(20);
  expect(mib).toBeLessThan(MEMORY_LIMIT_MIB);
});

it('keeps what it committed when it is killed before it answers, and knows it again', async () => {
  const guid = randomUUID();
  const killed = await startListening({ SALLYPORT_CRASH_POINT: 'intake:committed_not_answered' });
  await expect(deliver(killed, '{"a":1}', { 'x-github-delivery': guid })).rejects.toThrow(
    'fetch failed',
  );
  expect(await killed.ended).toBe('SIGKILL');
  const again = await startListening();
  expect((await deliver(again, '{"a":1}', { 'x-github-delivery': guid })).body).toEqual({
    duplicate: true,
  });
  const { rows } = await deployment.admin.query(
    `select d.state, (select count(*)::int from outbox o where o.data ->> 'deliveryId' = d.id::text) as messages
     from delivery d where guid = $1`,
    [guid],
  );
  expect(rows).toEqual([{ state: 'stored', messages: 1 }]);
});

it('hands its messages over to the queue and stops when it is asked to', async () => {
  const running = await startListening();
  const { body } = await deliver(running, '{"b":2}');
  await expect
    .poll(async () => {
      const { rows } = await deployment.admin.query<{ sent: boolean }>(
        `select sent_at is not null as sent from outbox where data ->> 'deliveryId' = $1`,
        [body.delivery],
      );
      return rows[0]?.sent;
    })
    .toBe(true);
  running.child.kill('SIGTERM');
  expect(await running.ended).toBe(0);
});

it.each([
  ['a short secret', { WEBHOOK_SECRET_FILE: '/dev/null' }, 'WEBHOOK_SECRET_FILE'],
  [
    'a secret by value',
    { WEBHOOK_SECRET: SECRET },
    'WEBHOOK_SECRET: a secret must not be given by value',
  ],
  ['no secret', { WEBHOOK_SECRET_FILE: undefined }, 'WEBHOOK_SECRET_FILE: is not set'],
  ['a port that is none', { PORT: 'http' }, 'PORT'],
])('does not start with %s', async (_what, changes, message) => {
  const { ended, output } = start(changes);
  expect(await ended).toBe(2);
  expect(output()).toContain(message);
});
