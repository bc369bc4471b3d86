/** The board of the queues, under the console's own Redis user, which may look and do nothing else. */
import { provisionRedisUsers } from '@sallyport/shared/queue/provision-users';
import { queuePrefix } from '@sallyport/shared/queue/contracts';
import { newId } from '@sallyport/shared/ids';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConsole, type Console } from './console-fixture.ts';

const taskId = newId();
let console_: Console;
let redis: Redis;
let queue: Queue;
beforeAll(async () => {
  console_ = await startConsole();
  redis = new Redis(console_.deployment.redisUrl, { maxRetriesPerRequest: null });
  queue = new Queue('work', {
    connection: redis,
    prefix: queuePrefix(console_.deployment.id, 'work'),
    skipVersionCheck: true,
  });
  await queue.add('work', { v: 1, taskId }, { jobId: 'o-1' });
});
afterAll(async () => {
  await queue.close();
  redis.disconnect();
  await console_.close();
});

it('shows every queue, read-only, with its jobs, which are ids only', async () => {
  const answer = await console_.script(
    '/queues/api/queues?activeQueue=work&status=latest&page=1&jobsPerPage=10',
  );
  expect(answer.status).toBe(200);
  const { queues } = answer.json() as {
    queues: {
      name: string;
      readOnlyMode: boolean;
      allowRetries: boolean;
      counts: { waiting: number };
      jobs: { data: unknown }[];
    }[];
  };
  expect(queues.map((q) => [q.name, q.readOnlyMode, q.allowRetries])).toEqual(
    ['gate', 'work', 'publish', 'import', 'github', 'source'].map((name) => [name, true, false]),
  );
  expect(queues[1]?.counts.waiting).toBe(1);
  expect(queues[1]?.jobs.map((job) => job.data)).toEqual([{ v: 1, taskId }]);
});

it('shows one job', async () => {
  const answer = await console_.script('/queues/api/queues/work/o-1');
  expect(answer.status).toBe(200);
  expect(answer.json()).toMatchObject({ job: { id: 'o-1', data: { v: 1, taskId } } });
});

it('serves its page and everything that the page loads below its own path', async () => {
  expect((await console_.script('/queues')).headers.location).toBe('/queues/');
  for (const path of ['/queues/', '/queues/queue/work', '/queues/queue/work/o-1']) {
    const page = await console_.script(path);
    expect(page.status).toBe(200);
    expect(page.body).toContain('<base href="/queues/" />');
    const loaded = [...page.body.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(
      (match) => match[1],
    );
    expect(loaded.length).toBeGreaterThan(3);
    for (const file of loaded) expect((await console_.script(`/queues/${file}`)).status).toBe(200);
  }
});

it('tells nothing of the Redis server, which other deployments may share', async () => {
  expect((await console_.script('/queues/api/redis/stats')).status).toBe(403);
});

it.each([
  ['PUT', '/queues/api/queues/pause'],
  ['PUT', '/queues/api/queues/work/pause'],
  ['PUT', '/queues/api/queues/work/empty'],
  ['PUT', '/queues/api/queues/work/obliterate'],
  ['PUT', '/queues/api/queues/work/o-1/retry'],
  ['PUT', '/queues/api/queues/work/o-1/clean'],
  ['POST', '/queues/api/queues/work/add'],
  ['PATCH', '/queues/api/queues/work/o-1/update-data'],
  ['DELETE', '/queues/api/queues/work'],
])('refuses %s %s', async (method, path) => {
  const before = await redis.keys(`${console_.deployment.id}:*`);
  for (const asked of [{ method, json: { name: 'x', data: {} } }, { method }]) {
    const answer = await console_.script(path, asked);
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
  }
  expect((await redis.keys(`${console_.deployment.id}:*`)).toSorted()).toEqual(before.toSorted());
  expect(await queue.getJobCounts('waiting')).toMatchObject({ waiting: 1 });
  expect(await queue.isPaused()).toBe(false);
});

it('leaves no trace in Redis by having been looked at', async () => {
  const keys = await redis.keys(`${console_.deployment.id}:*`);
  expect(keys.filter((key) => !key.includes('{work}'))).toEqual([]);
});

it('uses a Redis user that could not change a queue even if it were asked to', async () => {
  const urls = await provisionRedisUsers({
    adminUrl: console_.deployment.redisUrl,
    deployment: console_.deployment.id,
  });
  const viewer = new Redis(urls.console, { maxRetriesPerRequest: 1 });
  const seen = new Queue('work', {
    connection: viewer,
    prefix: queuePrefix(console_.deployment.id, 'work'),
    skipVersionCheck: true,
    skipMetasUpdate: true,
  });
  seen.on('error', () => {});
  expect(await seen.getWaitingCount()).toBe(1);
  await expect(seen.pause()).rejects.toThrow(/NOPERM|can't/);
  viewer.disconnect();
});
