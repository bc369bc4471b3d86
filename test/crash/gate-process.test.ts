/**
 * The gate as the process that it is, fed by a real intake through a real Redis: jobs and nudges carry a task within a
 * moment, and neither a kill between commit and hand-over nor a Redis that forgot everything loses one.
 */
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  createServices,
  type ServiceProcess,
  type Services,
} from '../support/deployment/start-service.ts';
import { deliver, SECRET, sign } from '../integration/intake/intake-client.ts';
import {
  commentPayload,
  createGateFixture,
  OWN_APP,
  type GateFixture,
} from '../integration/gate/gate-fixture.ts';

let fixture: GateFixture;
let services: Services;
beforeAll(async () => {
  fixture = await createGateFixture();
  services = createServices(fixture.deployment);
});
afterEach(() => services.stopAll());
afterAll(async () => {
  await services.close();
  await fixture.close();
});

async function startIntake(): Promise<{ port: number }> {
  const intake = services.start({
    main: 'services/intake/src/main.ts',
    process: 'intake',
    env: { PORT: '0' },
    secrets: { WEBHOOK_SECRET: SECRET },
  });
  const [, port] = await intake.said(/"port":(\d+),"msg":"listening"/);
  return { port: Number(port) };
}

function startGate(env: Record<string, string | undefined> = {}): ServiceProcess {
  return services.start({
    main: 'services/gate/src/main.ts',
    process: 'gate',
    env: { GITHUB_APP_ID: String(OWN_APP.id), GITHUB_APP_SLUG: OWN_APP.slug, ...env },
    secrets: { TICKET_KEY: fixture.privatePem },
  });
}

async function comment(intake: { port: number }): Promise<string> {
  const body = JSON.stringify(commentPayload('/agent fix this'));
  const answer = await deliver(intake, body, {
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': sign(body),
  });
  expect(answer.status).toBe(202);
  return answer.body.delivery ?? '';
}

async function taskOf(deliveryId: string): Promise<{ id: string; state: string } | undefined> {
  const found = await fixture.rows<{ id: string; state: string }>(
    'select id, state from task where delivery_id = $1',
    [deliveryId],
  );
  return found[0];
}

async function reached(deliveryId: string, state: string): Promise<string> {
  await expect
    .poll(async () => (await taskOf(deliveryId))?.state, { timeout: 20_000, interval: 50 })
    .toBe(state);
  return (await taskOf(deliveryId))?.id ?? '';
}

async function isForwarded(taskId: string): Promise<boolean> {
  const [message] = await fixture.rows<{ sent: boolean }>(
    `select sent_at is not null as sent from outbox where queue = 'work' and data ->> 'taskId' = $1`,
    [taskId],
  );
  return message?.sent ?? false;
}

it('takes a delivery through to the work queue, woken by jobs and answers alone', async () => {
  const intake = await startIntake();
  await startGate().said(/"msg":"ready"/);
  const deliveryId = await comment(intake);
  const taskId = await reached(deliveryId, 'assessing');
  await fixture.answer(taskId);
  await reached(deliveryId, 'admitted');
  await expect.poll(() => isForwarded(taskId)).toBe(true);
});

it('hands over what it admitted when it is killed between the two', async () => {
  const intake = await startIntake();
  const gate = startGate({ SALLYPORT_CRASH_POINT: 'gate:admitted_not_forwarded' });
  const deliveryId = await comment(intake);
  const taskId = await reached(deliveryId, 'assessing');
  await fixture.answer(taskId);
  expect(await gate.ended).toBe('SIGKILL');
  expect((await taskOf(deliveryId))?.state).toBe('admitted');
  await startGate().said(/"msg":"ready"/);
  await expect.poll(() => isForwarded(taskId), { timeout: 10_000 }).toBe(true);
  expect(await fixture.rows('select 1 as n from ticket where task_id = $1', [taskId])).toHaveLength(
    1,
  );
});

it('admits nothing by half when it is killed in the middle', async () => {
  const intake = await startIntake();
  const gate = startGate({ SALLYPORT_CRASH_POINT: 'gate:admitting_not_committed' });
  const deliveryId = await comment(intake);
  const taskId = await reached(deliveryId, 'assessing');
  await fixture.answer(taskId);
  expect(await gate.ended).toBe('SIGKILL');
  expect((await taskOf(deliveryId))?.state).toBe('assessing');
  startGate();
  await reached(deliveryId, 'admitted');
  expect(await fixture.rows('select 1 as n from ticket where task_id = $1', [taskId])).toHaveLength(
    1,
  );
});

it('finds its deliveries in Postgres when Redis has forgotten them', async () => {
  const intake = await startIntake();
  const deliveryId = await comment(intake);
  await expect
    .poll(async () =>
      fixture.rows(
        `select 1 as n from outbox where data ->> 'deliveryId' = $1 and sent_at is not null`,
        [deliveryId],
      ),
    )
    .toHaveLength(1);
  const redis = new Redis(fixture.deployment.redisUrl);
  const keys = await redis.keys(`${fixture.deployment.id}:*`);
  expect(keys.length).toBeGreaterThan(0);
  await redis.del(...keys);
  redis.disconnect();
  startGate();
  await reached(deliveryId, 'assessing');
});

it.each([
  ['a key that signs no tickets', { TICKET_KEY_FILE: '/dev/null' }, 'TICKET_KEY'],
  ['a teams file that is not there', { TEAMS_FILE: '/none/teams.json' }, 'TEAMS_FILE'],
  ['a policy file that is not there', { POLICY_FILE: '/none/policy.json' }, 'POLICY_FILE'],
  ['a prefix that no branch may have', { BRANCH_PREFIX: 'refs/heads' }, 'BRANCH_PREFIX'],
  ['no App', { GITHUB_APP_ID: undefined }, 'GITHUB_APP_ID: is not set'],
])('does not start with %s', async (_what, env, message) => {
  const gate = startGate(env);
  expect(await gate.ended).toBe(2);
  expect(gate.output()).toContain(message);
});
