import { expect, test } from 'vitest';
import { createLeases } from './leases.ts';

function leasesAt(): { leases: ReturnType<typeof createLeases>; pass(ms: number): void } {
  let now = 1_000;
  const leases = createLeases(100, () => now);
  return {
    leases,
    pass(ms) {
      now += ms;
    },
  };
}

test('a lease lives for as long as it is renewed in time', () => {
  const { leases, pass } = leasesAt();
  pass(200);
  leases.renew('one');
  pass(99);
  expect(leases.isLive('one')).toBe(true);
  leases.renew('one');
  pass(99);
  expect(leases.isLive('one')).toBe(true);
  pass(1);
  expect(leases.isLive('one')).toBe(false);
});

test('leases that were given out before the guard started have one life to be renewed in', () => {
  const { leases, pass } = leasesAt();
  pass(99);
  expect(leases.isLive('earlier')).toBe(true);
  pass(1);
  expect(leases.isLive('earlier')).toBe(false);
});

test('what bears no lease, or no name of one, is nobody’s from the start', () => {
  const { leases } = leasesAt();
  expect(leases.isLive(undefined)).toBe(false);
  expect(leases.isLive('../one')).toBe(false);
  expect(() => leases.renew('One')).toThrow('a lease is named by');
});

test('made-up leases are bounded, and make room when they have run out', () => {
  const { leases, pass } = leasesAt();
  for (let i = 0; i < 256; i += 1) leases.renew(`made-up-${i}`);
  expect(() => leases.renew('one')).toThrow('hold leases already');
  leases.renew('made-up-7');
  pass(100);
  leases.renew('one');
  expect(leases.isLive('one')).toBe(true);
});
