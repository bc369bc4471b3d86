import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTail } from './output-tail.ts';

test('whatever the pieces, the last bytes are kept and what is missing is counted', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 25 });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const tail = createTail(10);
      for (const one of pieces) tail.push(Buffer.from(one));
      const all = pieces.join('');
      const dropped = Math.max(0, all.length - 10);
      const marker = dropped > 0 ? `[${dropped} bytes before this were dropped]\n` : '';
      expect(tail.result()).toEqual({
        text: marker + all.slice(dropped),
        totalBytes: all.length,
        truncated: dropped > 0,
      });
    }),
  );
});

test('nothing is nothing', () => {
  expect(createTail().result()).toEqual({ text: '', totalBytes: 0, truncated: false });
});
