/**
 * One process at a time for a key, across all processes of a deployment, without a transaction being held open: a session
 * advisory lock on a connection of its own, which falls with the connection. Acts that cannot be made atomic (a GitHub
 * write and the row about it) are done under it, and are safe to repeat all the same.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { AppError } from '../errors.ts';
import { connectionSettings, type PoolOptions } from './pool.ts';

const POLL_MS = 150;

export interface HeldLock {
  /** Throws AppError `transient` when the connection, and with it the lock, was lost. Call it before each effect. */
  assertHeld(): void;
}

export interface Locks {
  /**
   * Waits for the lock of the key, at most `waitMs`, and runs the work under it. `busy`: somebody else still holds it.
   * @throws AppError `unavailable` when no connection can be had, and whatever the work throws.
   */
  withLock<T>(
    key: string,
    waitMs: number,
    work: (lock: HeldLock) => Promise<T>,
  ): Promise<T | 'busy'>;
}

export function createLocks(options: PoolOptions): Locks {
  return {
    async withLock(key, waitMs, work) {
      const client = new pg.Client(connectionSettings(options));
      let lost = false;
      client.on('error', () => {
        lost = true;
      });
      client.on('end', () => {
        lost = true;
      });
      try {
        await client.connect();
      } catch (cause) {
        throw new AppError('unavailable', 'connecting to Postgres for a lock', { cause });
      }
      try {
        if (!(await acquire(client, key, waitMs))) return 'busy';
        return await work({
          assertHeld() {
            if (lost) throw new AppError('transient', 'the connection that held the lock is gone');
          },
        });
      } finally {
        await client.end().catch(() => {});
      }
    },
  };
}

async function acquire(client: pg.Client, key: string, waitMs: number): Promise<boolean> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const { rows } = await client.query<{ held: boolean }>(
      `select pg_try_advisory_lock(hashtextextended(current_schema() || ':' || $1, 3)) as held`,
      [key],
    );
    if (rows[0]?.held === true) return true;
    if (Date.now() >= deadline) return false;
    await sleep(POLL_MS);
  }
}
