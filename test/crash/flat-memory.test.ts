import { test } from 'vitest';
import { expectFlatMemory } from '../integration/launcher/flat-memory.ts';

test('a sandbox that prints 2 GB costs its launcher no memory', async () => {
  await expectFlatMemory({ bytes: 2_000_000_000 });
});
