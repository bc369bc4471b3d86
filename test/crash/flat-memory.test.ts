import { expect, test } from 'vitest';
import { measureDrift } from '../integration/launcher/flat-memory.ts';

test('a sandbox that prints 2 GB costs its launcher no memory', async () => {
  expect(await measureDrift({ bytes: 2_000_000_000 })).toBeLessThan(20);
});
