import { expect, it } from 'vitest';
import { overlaps } from './base-drift.ts';

it.each([
  [['a.js'], ['a.js'], true],
  [['a.js'], ['b.js'], false],
  [['src/a.js'], ['src/b.js'], false],
  [['src'], ['src/b.js'], true],
  [['src/b.js'], ['src'], true],
  [['src-old/b.js'], ['src'], false],
  [[], ['a'], false],
])('%j and %j share a path: %s', (left, right, expected) => {
  expect(overlaps(left, right)).toBe(expected);
});
