/** How full the queues are, read with a viewer's rights. */
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { AppError } from '../errors.ts';
import { QUEUE_NAMES, queuePrefix, type QueueName } from './contracts.ts';

export interface QueueDepth {
  name: QueueName;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  /** Age of the job that waits longest, in seconds; null when none waits. */
  oldestSeconds: number | null;
  donePerMinute: number;
}

/** Reads every queue of the deployment. @throws AppError `unavailable` when Redis cannot be reached. */
export async function readQueueDepths(redisUrl: string, deployment: string): Promise<QueueDepth[]> {
  const redis = new Redis(redisUrl, {
    maxRetriesPerRequest: 1,
    retryStrategy: () => null,
    lazyConnect: true,
  });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return await Promise.all(QUEUE_NAMES.map((name) => readDepth(redis, deployment, name)));
  } catch (cause) {
    throw new AppError('unavailable', 'reading the queues', { cause });
  } finally {
    redis.disconnect();
  }
}

async function readDepth(redis: Redis, deployment: string, name: QueueName): Promise<QueueDepth> {
  const prefix = queuePrefix(deployment, name);
  const queue = new Queue(name, { connection: redis, prefix, skipVersionCheck: true });
  queue.on('error', () => {});
  const [counts, [oldest], donePerMinute] = await Promise.all([
    queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
    queue.getJobs(['waiting'], 0, 0, true),
    redis.zcount(`${prefix}:${name}:completed`, Date.now() - 60_000, '+inf'),
  ]);
  return {
    name,
    waiting: counts['waiting'] ?? 0,
    active: counts['active'] ?? 0,
    delayed: counts['delayed'] ?? 0,
    failed: counts['failed'] ?? 0,
    oldestSeconds: oldest === undefined ? null : Math.round((Date.now() - oldest.timestamp) / 1000),
    donePerMinute,
  };
}
