import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { isPermissionError } from '@sallyport/shared/queue/connection';
import { queuesOf } from '@sallyport/shared/queue/acl';
import { QUEUE_NAMES, queuePrefix, type QueueName } from '@sallyport/shared/queue/contracts';
import { dropRedisUsers, provisionRedisUsers } from '@sallyport/shared/queue/provision-users';
import { PROCESSES, type Process } from '@sallyport/shared/processes';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';

const deployment = `t_${randomBytes(6).toString('hex')}`;
const clients = new Map<Process, Redis>();
let urls: Record<Process, string>;

beforeAll(async () => {
  urls = await provisionRedisUsers({ adminUrl: inject('redisUrl'), deployment });
  for (const process of PROCESSES) {
    const client = new Redis(urls[process], { maxRetriesPerRequest: null });
    client.on('error', () => {});
    clients.set(process, client);
  }
});
afterAll(async () => {
  for (const client of clients.values()) client.disconnect();
  await dropRedisUsers(inject('redisUrl'), deployment);
});

function clientOf(process: Process): Redis {
  const client = clients.get(process);
  if (client === undefined) throw new Error(`no client of ${process}`);
  return client;
}

function queueOf(process: Process, name: QueueName): Queue {
  const queue = new Queue(name, {
    connection: clientOf(process),
    prefix: queuePrefix(deployment, name),
    skipVersionCheck: true,
  });
  queue.on('error', () => {});
  return queue;
}

async function outcome(work: Promise<unknown>): Promise<'allowed' | 'NOPERM'> {
  return work.then(
    () => 'allowed' as const,
    (error: Error) => {
      if (!isPermissionError(error)) throw error;
      return 'NOPERM' as const;
    },
  );
}

it('lets each process add to the queues it has a part in, and to no other', async () => {
  const seen: string[] = [];
  const expected: string[] = [];
  for (const process of PROCESSES) {
    for (const name of QUEUE_NAMES) {
      seen.push(`${process} ${name} ${await outcome(queueOf(process, name).add('x', { v: 1 }))}`);
      const viewer = process === 'console' || process === 'operator';
      expected.push(
        `${process} ${name} ${!viewer && queuesOf(process).includes(name) ? 'allowed' : 'NOPERM'}`,
      );
    }
  }
  expect(seen).toEqual(expected);
});

it('lets the dashboard read every queue and change none', async () => {
  for (const name of QUEUE_NAMES) {
    const queue = queueOf('console', name);
    expect((await queue.getJobCounts())['waiting']).toBeGreaterThan(0);
    const [job] = await queue.getJobs(['waiting']);
    expect(job?.name).toBe('x');
    expect(await outcome(queue.pause())).toBe('NOPERM');
    expect(await outcome(job?.remove() ?? Promise.resolve())).toBe('NOPERM');
  }
});

it.each([
  'KEYS *',
  'CONFIG GET *',
  'ACL LIST',
  'FLUSHALL',
  'FLUSHDB',
  'SCAN 0',
  'MONITOR',
  'MIGRATE x 1 y 0 1',
  'SCRIPT FLUSH',
  'SUBSCRIBE x',
])('refuses %s to every process, and grants it PING', async (command) => {
  const [name = '', ...args] = command.split(' ');
  for (const process of PROCESSES) {
    expect(await outcome(clientOf(process).call(name, ...args))).toBe('NOPERM');
    expect(await outcome(clientOf(process).ping())).toBe('allowed');
  }
});

it('refuses a script on the keys of a foreign queue, and runs it on its own', async () => {
  const script = "return redis.call('exists', KEYS[1])";
  const own = `${queuePrefix(deployment, 'gate')}:gate:meta`;
  const foreign = `${queuePrefix(deployment, 'publish')}:publish:meta`;
  expect(await outcome(clientOf('intake').eval(script, 1, own))).toBe('allowed');
  expect(await outcome(clientOf('intake').eval(script, 1, foreign))).toBe('NOPERM');
});

it('carries a job from producer to consumer, delays and retries included, under the real rights', async () => {
  const name = 'work';
  const queue = queueOf('gate', name);
  let calls = 0;
  const seen: unknown[] = [];
  const worker = new Worker(
    name,
    async (job) => {
      calls += 1;
      if (job.name === 'fails_once' && job.attemptsMade === 0) throw new Error('once');
      seen.push(job.name);
      await Promise.resolve();
    },
    {
      connection: clientOf('worker-launcher').duplicate(),
      prefix: queuePrefix(deployment, name),
      skipVersionCheck: true,
    },
  );
  const failures: Error[] = [];
  worker.on('error', (error) => failures.push(error));
  await queue.add('plain', { v: 1 });
  await queue.add('later', { v: 1 }, { delay: 100 });
  await queue.add(
    'fails_once',
    { v: 1 },
    { attempts: 2, backoff: { type: 'exponential', delay: 50 } },
  );
  const deadline = Date.now() + 15_000;
  while (
    !['plain', 'later', 'fails_once'].every((n) => seen.includes(n)) &&
    Date.now() < deadline
  ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await worker.close();
  expect(failures).toEqual([]);
  expect(seen).toEqual(expect.arrayContaining(['plain', 'later', 'fails_once']));
  expect(calls).toBeGreaterThanOrEqual(4);
});
