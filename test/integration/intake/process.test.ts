/**
 * Intake as the process that it is: what it costs, what it refuses to start with, and that a kill between the commit and
 * the answer loses nothing and doubles nothing.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  createServices,
  type ServiceProcess,
  type Services,
} from '../../support/deployment/start-service.ts';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';
import { deliver, SECRET } from './intake-client.ts';

const MIB = 1024 * 1024;
const MEMORY_LIMIT_MIB = 150;

let deployment: TestDeployment;
let services: Services;
beforeAll(async () => {
  deployment = await createTestDeployment();
  services = createServices(deployment);
});
afterEach(() => services.stopAll());
afterAll(async () => {
  await services.close();
  await deployment.close();
});

function start(env: Record<string, string | undefined> = {}): ServiceProcess {
  return services.start({
    main: 'services/intake/src/main.ts',
    process: 'intake',
    env: { PORT: '0', ...env },
    secrets: { WEBHOOK_SECRET: `${SECRET}\n` },
  });
}

async function startListening(
  env: Record<string, string> = {},
): Promise<{ service: ServiceProcess; port: number }> {
  const service = start(env);
  const [, port] = await service.said(/"port":(\d+),"msg":"listening"/);
  return { service, port: Number(port) };
}

function memoryMib(pid: number | undefined): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024;
}

it(`needs less than ${MEMORY_LIMIT_MIB} MiB once it has worked, also after three large bodies at once`, async () => {
  const { service, port } = await startListening();
  for (let i = 0; i < 20; i += 1) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => deliver({ port }, '{"a":1}')),
    );
    expect(answers.every((answer) => answer.status === 202)).toBe(true);
  }
  const mib = memoryMib(service.child.pid);
  expect(mib).toBeGreaterThan(20);
  expect(mib).toBeLessThan(MEMORY_LIMIT_MIB);

  const large = Buffer.from(`{"a":"${'x'.repeat(24 * MIB)}"}`);
  const answers = await Promise.all([1, 2, 3].map(() => deliver({ port }, large)));
  expect(answers.map((answer) => answer.status)).toEqual([202, 202, 202]);
  await expect
    .poll(() => memoryMib(service.child.pid), { timeout: 5000 })
    .toBeLessThan(MEMORY_LIMIT_MIB);
});

it('keeps what it committed when it is killed before it answers, and knows it again', async () => {
  const guid = randomUUID();
  const killed = await startListening({ SALLYPORT_CRASH_POINT: 'intake:committed_not_answered' });
  await expect(deliver(killed, '{"a":1}', { 'x-github-delivery': guid })).rejects.toThrow(
    'fetch failed',
  );
  expect(await killed.service.ended).toBe('SIGKILL');
  const again = await startListening();
  const answer = await deliver(again, '{"a":1}', { 'x-github-delivery': guid });
  expect(answer.body).toEqual({ duplicate: true });
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
  running.service.child.kill('SIGTERM');
  expect(await running.service.ended).toBe(0);
});

it.each([
  ['an empty secret', { WEBHOOK_SECRET_FILE: '/dev/null' }, 'WEBHOOK_SECRET_FILE'],
  ['a secret by value', { WEBHOOK_SECRET: SECRET }, 'a secret must not be given by value'],
  ['no secret', { WEBHOOK_SECRET_FILE: undefined }, 'WEBHOOK_SECRET_FILE: is not set'],
  ['a port that is none', { PORT: 'http' }, 'PORT'],
])('does not start with %s', async (_what, env, message) => {
  const service = start(env);
  expect(await service.ended).toBe(2);
  expect(service.output()).toContain(message);
});
