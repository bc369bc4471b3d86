import type { Queryable } from '@sallyport/shared/db/pool';
import { createLogger } from '@sallyport/shared/log';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepLease } from './keep-lease.ts';

const log = createLogger('test', 'silent');
const lease = { runId: '01900000-0000-7000-8000-000000000000', fence: 3 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A database that answers each renewal as it is told to. */
function database(answer: () => Promise<boolean>): { db: Queryable; asked: () => number } {
  let asked = 0;
  const db = {
    async query() {
      asked += 1;
      return { rows: [{ held: await answer() }] };
    },
  } as unknown as Queryable;
  return { db, asked: () => asked };
}

test('a lease is renewed every third of its time and is never lost while that succeeds', async () => {
  const { db, asked } = database(() => Promise.resolve(true));
  let lost = 0;
  const keeper = keepLease({ db, lease, seconds: 30, log, onLost: () => (lost += 1) });
  await vi.advanceTimersByTimeAsync(95_000);
  expect([asked(), lost]).toEqual([9, 0]);
  keeper.stop();
  await vi.advanceTimersByTimeAsync(95_000);
  expect([asked(), lost]).toEqual([9, 0]);
});

test('a renewal that is refused loses the lease at once, and once', async () => {
  const { db } = database(() => Promise.resolve(false));
  let lost = 0;
  keepLease({ db, lease, seconds: 30, log, onLost: () => (lost += 1) });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(lost).toBe(1);
  await vi.advanceTimersByTimeAsync(95_000);
  expect(lost).toBe(1);
});

test('a database that cannot be reached loses it when its time is over, and one that comes back in time does not', async () => {
  let reachable = false;
  const { db } = database(() =>
    reachable ? Promise.resolve(true) : Promise.reject(new Error('away')),
  );
  let lost = 0;
  const first = keepLease({ db, lease, seconds: 30, log, onLost: () => (lost += 1) });
  await vi.advanceTimersByTimeAsync(25_000);
  reachable = true;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(lost).toBe(0);
  first.stop();
  reachable = false;
  keepLease({ db, lease, seconds: 30, log, onLost: () => (lost += 1) });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(lost).toBe(1);
});

test('a renewal that hangs loses it when its time is over', async () => {
  const { db } = database(() => new Promise(() => {}));
  let lost = 0;
  keepLease({ db, lease, seconds: 30, log, onLost: () => (lost += 1) });
  await vi.advanceTimersByTimeAsync(29_999);
  expect(lost).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(lost).toBe(1);
});
