import { expect, it } from 'vitest';
import { createBackoff } from './backoff.ts';

it('waits twice as long after each failure, a minute at most, and not at all for what did not fail', () => {
  let now = 0;
  const backoff = createBackoff(() => now);
  expect(backoff.isDue('a')).toBe(true);
  const waits: number[] = [];
  for (let failure = 0; failure < 8; failure += 1) {
    backoff.failed('a');
    const from = now;
    while (!backoff.isDue('a')) now += 500;
    waits.push(now - from);
  }
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  expect(backoff.isDue('b')).toBe(true);
});

it('waits as long as GitHub says, and forgets when told', () => {
  let now = 0;
  const backoff = createBackoff(() => now);
  backoff.failed('a', 300);
  now = 299_000;
  expect(backoff.isDue('a')).toBe(false);
  backoff.forget('a');
  expect(backoff.isDue('a')).toBe(true);
});
