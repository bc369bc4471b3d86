/**
 * When a thing that failed may be tried again by a sweep: later after each failure, never forgotten. Kept in memory only,
 * because after a restart one more try does no harm.
 */

const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 60_000;

export interface Backoff {
  isDue(key: string): boolean;
  /** Counts a failure; `waitSeconds` is what GitHub asked for, if it did. */
  failed(key: string, waitSeconds?: number): void;
  forget(key: string): void;
}

export function createBackoff(now: () => number = Date.now): Backoff {
  const entries = new Map<string, { failures: number; dueAt: number }>();
  return {
    isDue: (key) => (entries.get(key)?.dueAt ?? 0) <= now(),
    failed(key, waitSeconds) {
      const failures = (entries.get(key)?.failures ?? 0) + 1;
      const wait = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), MAX_WAIT_MS);
      entries.set(key, { failures, dueAt: now() + Math.max(wait, (waitSeconds ?? 0) * 1000) });
    },
    forget: (key) => void entries.delete(key),
  };
}
