/**
 * Moves this process's outbox rows into Redis, and is the only code that adds jobs. A row is marked sent in the same
 * transaction that locked it; a crash between adding and marking adds the job twice, which every consumer survives.
 */
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { crashPoint } from '../crash-point.ts';
import type { Listener } from '../db/listen.ts';
import { claimDue, deleteSent, markSent, putOff, type OutboxRow } from '../db/outbox.ts';
import { inTransaction, type Pool } from '../db/pool.ts';
import type { Logger } from '../log.ts';
import { isPermissionError } from './connection.ts';
import { queuePrefix, type QueueName } from './contracts.ts';

const POLL_MS = 1000;
const BATCH = 100;
const KEEP_SENT_SECONDS = 3600;
const CLEAN_EVERY_MS = 60_000;

export interface Forwarder {
  stop(): Promise<void>;
}

export interface ForwarderOptions {
  db: Pool;
  redis: Redis;
  deployment: string;
  process: string;
  listener: Listener;
  log: Logger;
  /** Called when Redis refuses this process for lack of rights: it must stop, not loop. */
  onForbidden: (error: unknown) => void;
}

export function startForwarder(options: ForwarderOptions): Forwarder {
  const { db, log } = options;
  const queues = new Map<QueueName, Queue>();
  let stopped = false;
  let running: Promise<void> | undefined;
  let again = false;
  let lastClean = 0;

  function queueFor(name: QueueName): Queue {
    let queue = queues.get(name);
    if (queue === undefined) {
      queue = new Queue(name, {
        connection: options.redis,
        prefix: queuePrefix(options.deployment, name),
        skipVersionCheck: true,
      });
      queue.on('error', () => {});
      queues.set(name, queue);
    }
    return queue;
  }

  async function forwardBatch(): Promise<number> {
    let failed: string[] = [];
    const count = await inTransaction(db, async (tx) => {
      const rows = await claimDue(tx, BATCH);
      const sent: string[] = [];
      if (rows.length > 0) crashPoint('forwarder:claimed_not_added');
      for (const [name, group] of groupByQueue(rows)) {
        try {
          await queueFor(name).addBulk(group.map(toJob));
          sent.push(...group.map((row) => row.id));
        } catch (error) {
          if (isPermissionError(error)) options.onForbidden(error);
          log.warn({ err: error, queue: name }, 'forwarding failed');
          failed = [...failed, ...group.map((row) => row.id)];
        }
      }
      if (sent.length > 0) {
        crashPoint('forwarder:added_not_marked');
        await markSent(tx, sent);
      }
      return rows.length;
    });
    if (failed.length > 0) await putOff(db, failed);
    return failed.length > 0 ? 0 : count;
  }

  async function forwardAll(): Promise<void> {
    try {
      do {
        again = false;
        while (!stopped && (await forwardBatch()) === BATCH);
      } while (again && !stopped);
      if (Date.now() - lastClean > CLEAN_EVERY_MS) {
        lastClean = Date.now();
        await deleteSent(db, KEEP_SENT_SECONDS);
      }
    } catch (error) {
      log.warn({ err: error }, 'outbox forwarding failed');
    }
  }

  function nudge(): void {
    if (stopped) return;
    if (running !== undefined) {
      again = true;
      return;
    }
    running = forwardAll().finally(() => {
      running = undefined;
      if (again) nudge();
    });
  }

  options.listener.on('outbox', (process) => {
    if (process === '' || process === options.process) nudge();
  });
  const timer = setInterval(nudge, POLL_MS);
  nudge();

  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
      await Promise.all([...queues.values()].map((queue) => queue.close().catch(() => {})));
    },
  };
}

function groupByQueue(rows: readonly OutboxRow[]): Map<QueueName, OutboxRow[]> {
  const groups = new Map<QueueName, OutboxRow[]>();
  for (const row of rows) groups.set(row.queue, [...(groups.get(row.queue) ?? []), row]);
  return groups;
}

function toJob(row: OutboxRow): { name: string; data: unknown; opts: Record<string, unknown> } {
  return {
    name: row.queue,
    data: row.data,
    opts: {
      // Not for deduplication (Postgres decides that): it lets a human find the row of a job.
      jobId: `o-${row.id}`,
      attempts: 5,
      backoff: { type: 'exponential', delay: 500, jitter: 0.5 },
      removeOnComplete: { age: 3600, count: 500 },
      removeOnFail: { age: 7 * 24 * 3600, count: 1000 },
    },
  };
}
