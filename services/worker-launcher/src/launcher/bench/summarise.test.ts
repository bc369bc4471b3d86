import { expect, test } from 'vitest';
import { summarise } from './summarise.ts';

test('the median of an even number is between the middle two, and the samples stay in their order', () => {
  expect(summarise([4, 1, 3, 2])).toEqual({ medianMs: 2.5, p95Ms: 4, samplesMs: [4, 1, 3, 2] });
  expect(summarise([3, 1, 2])).toMatchObject({ medianMs: 2 });
});

test('no samples are no summary', () => {
  expect(() => summarise([])).toThrow(RangeError);
});
