/**
 * Takes jobs out of one queue: checks their shape, hands the ids over, and translates errors into the queue's terms. A
 * job is a nudge; the handler reads the truth from Postgres and must survive the same job twice, also at the same time.
 */
import { UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { isRetryable } from '../errors.ts';
import type { Logger } from '../log.ts';
import { isPermissionError } from './connection.ts';
import { QUEUE_CONTRACTS, queuePrefix, type QueueData, type QueueName } from './contracts.ts';

export interface ConsumerOptions<Q extends QueueName> {
  queue: Q;
  deployment: string;
  redis: Redis;
  concurrency: number;
  log: Logger;
  handle: (data: QueueData<Q>) => Promise<void>;
  onForbidden: (error: unknown) => void;
}

export interface Consumer {
  /** Stops taking jobs and waits for those in hand, at most `deadlineMs`; what is left will be taken over as stalled. */
  stop(deadlineMs: number): Promise<void>;
}

export function startConsumer<Q extends QueueName>(options: ConsumerOptions<Q>): Consumer {
  const { queue, log } = options;
  const worker = new Worker(
    queue,
    async (job) => {
      const data = parseJob(queue, job.data);
      try {
        await options.handle(data);
      } catch (error) {
        if (isRetryable(error)) {
          log.warn(
            { err: error, queue, jobId: job.id, attempt: job.attemptsMade + 1 },
            'job failed, will be retried',
          );
          throw error;
        }
        log.error({ err: error, queue, jobId: job.id, data }, 'job failed');
        throw new UnrecoverableError(error instanceof Error ? error.message : String(error));
      }
    },
    {
      connection: options.redis,
      prefix: queuePrefix(options.deployment, queue),
      concurrency: options.concurrency,
      skipVersionCheck: true,
      // A dead process's jobs are taken over when their lock has ended. Taking one over from a process that only paused runs
      // it twice, which every handler survives; so the lock may be short.
      lockDuration: 10_000,
      stalledInterval: 5_000,
      maxStalledCount: 5,
    },
  );
  let told = false;
  worker.on('error', (error) => {
    // A worker that lacks a right spins, thousands of errors a second; nothing but the operator can mend it.
    if (isPermissionError(error)) {
      options.onForbidden(error);
      return;
    }
    if (!told) log.warn({ err: error, queue }, 'queue consumer failed');
    told = true;
  });
  worker.on('completed', () => {
    told = false;
  });
  return {
    async stop(deadlineMs) {
      let timer: NodeJS.Timeout | undefined;
      const deadline = new Promise<'late'>((resolve) => {
        timer = setTimeout(() => resolve('late'), deadlineMs);
      });
      const outcome = await Promise.race([worker.close().then(() => 'closed' as const), deadline]);
      clearTimeout(timer);
      if (outcome === 'late') await worker.close(true);
    },
  };
}

/** The data of a job of this queue. @throws UnrecoverableError for an unknown shape, Error (retried) for a newer version. */
export function parseJob<Q extends QueueName>(queue: Q, data: unknown): QueueData<Q> {
  const version = (data as { v?: unknown } | null)?.v;
  if (typeof version === 'number' && version > 1) {
    throw new Error(`a job of version ${version} is newer than this consumer`);
  }
  const parsed = QUEUE_CONTRACTS[queue].safeParse(data);
  if (!parsed.success)
    throw new UnrecoverableError(`no job of queue ${queue}: ${parsed.error.message}`);
  return parsed.data as QueueData<Q>;
}
