/** The console as the process that it is: configured by files, nudged by the database, small, and gone when asked. */
import { appendEvent } from '@sallyport/shared/db/timeline';
import { provisionRedisUsers } from '@sallyport/shared/queue/provision-users';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { seedTask } from '../../support/deployment/seed-task.ts';
import {
  createServices,
  type ServiceProcess,
  type Services,
} from '../../support/deployment/start-service.ts';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';
import { TOKEN, TOKEN_SHA256 } from './console-fixture.ts';

const headers = { authorization: `Bearer ${TOKEN}` };

let deployment: TestDeployment;
let services: Services;
let redisUrl: string;
beforeAll(async () => {
  deployment = await createTestDeployment();
  services = createServices(deployment);
  redisUrl = (
    await provisionRedisUsers({ adminUrl: deployment.redisUrl, deployment: deployment.id })
  ).console;
});
afterEach(() => services.stopAll());
afterAll(async () => {
  await services.close();
  await deployment.close();
});

function start(secret = TOKEN_SHA256): ServiceProcess {
  return services.start({
    main: 'services/console/src/main.ts',
    process: 'console',
    env: { PORT: '0' },
    secrets: { OPERATOR_TOKEN_SHA256: secret, REDIS_URL: redisUrl },
  });
}

async function listening(service: ServiceProcess): Promise<string> {
  const [, port] = await service.said(/"port":(\d+),"msg":"listening"/);
  return `http://127.0.0.1:${port}`;
}

it('sends a live timeline within a moment of the event, and ends it when it is asked to stop', async () => {
  const { taskId } = await seedTask(deployment);
  const service = start();
  const url = await listening(service);
  const response = await fetch(`${url}/tasks/${taskId}/events`, { headers });
  let text = '';
  const ended = (async () => {
    for await (const chunk of response.body ?? [])
      text += Buffer.from(chunk as Uint8Array).toString();
  })();
  await expect.poll(() => text).toContain('event: state');
  await appendEvent(deployment.pool('gate'), taskId, 'task_assessed', { n: 1 });
  // Less than the sweep takes: it was the nudge.
  await expect.poll(() => text, { timeout: 1500, interval: 20 }).toContain('task_assessed');
  service.child.kill('SIGTERM');
  await ended;
  expect(await service.ended).toBe(0);
  expect(service.output()).not.toMatch(/"level":(?:40|50|60)/);
});

it('acknowledges a halt within a second, as every process does', async () => {
  const url = await listening(start());
  const answer = await fetch(`${url}/api/halt`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ scope: 'all', level: 'drain', reason: 'x' }),
  });
  const status = (await answer.json()) as { acknowledged: string[]; waitingFor: string[] };
  expect(status.acknowledged.join()).toMatch(/^console@/);
  expect(status.waitingFor).toEqual([]);
});

it('has nothing to complain of at rest, and shows the queues at the first look', async () => {
  const service = start();
  const url = await listening(service);
  await sleep(1500);
  expect(service.output()).not.toMatch(/"level":(?:40|50|60)/);
  expect((await fetch(`${url}/queues/api/queues`, { headers })).status).toBe(200);
  expect(service.output()).not.toMatch(/"level":(?:40|50|60)/);
});

it('does not start with a token where its hash must be', async () => {
  const service = start(TOKEN);
  expect(await service.ended).toBe(2);
  expect(service.output()).toContain('OPERATOR_TOKEN_SHA256_FILE: give the SHA-256');
  expect(service.output()).not.toContain(TOKEN);
});
