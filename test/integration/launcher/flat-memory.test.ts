import { test } from 'vitest';
import { expectFlatMemory } from './flat-memory.ts';

test('a sandbox that prints 200 MB costs its launcher no memory', async () => {
  await expectFlatMemory({ bytes: 200_000_000 });
});
