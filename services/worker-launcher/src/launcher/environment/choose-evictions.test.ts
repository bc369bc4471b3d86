import { expect, test } from 'vitest';
import { chooseEvictions, type KeptEnvironment } from './choose-evictions.ts';

const KEPT: KeptEnvironment[] = [
  { name: 'b', bytes: 10, usedAtMs: 900 },
  { name: 'a', bytes: 10, usedAtMs: 500 },
  { name: 'c', bytes: 10, usedAtMs: 1_000 },
];

test.each([
  ['all have room and are young', { maxBytes: 30, maxAgeMs: 500 }, []],
  ['one has no room: the one used least recently goes', { maxBytes: 29, maxAgeMs: 500 }, ['a']],
  ['two have no room', { maxBytes: 10, maxAgeMs: 500 }, ['a', 'b']],
  ['one is too old although there is room', { maxBytes: 30, maxAgeMs: 499 }, ['a']],
  ['none has room', { maxBytes: 9, maxAgeMs: 500 }, ['a', 'b', 'c']],
])('%s', (_, bounds, gone) => {
  expect(chooseEvictions(KEPT, bounds, 1_000)).toEqual(gone);
});
