import { expect, test } from 'vitest';
import { measureDrift } from './flat-memory.ts';

test('a sandbox that prints 200 MB costs its launcher no memory', async () => {
  expect(await measureDrift({ bytes: 200_000_000 })).toBeLessThan(20);
});
