/** A long text is looked through piece by piece, and what lies on a border between two is found. */
import { canariesIn } from '@sallyport/shared/canary/find-canaries';
import { createCanary } from '@sallyport/shared/canary/create-canary';
import { expect, it } from 'vitest';
import { piecesOf } from './watch-canaries.ts';

const PIECE = 256 * 1024;

it('has a canary whole in one piece wherever it lies, in a disguise too', () => {
  const canary = createCanary();
  const spread = Array.from(canary).join('\n+');
  for (const shown of [canary, spread, Buffer.from(canary).toString('hex')]) {
    for (const before of [0, PIECE - shown.length, PIECE - 20, PIECE - 1, PIECE, 2 * PIECE - 7]) {
      const text = 'x'.repeat(before) + '\n' + shown + '\n' + 'y'.repeat(PIECE);
      const found = [...piecesOf(text)].filter((piece) => canariesIn(piece, [canary]).length > 0);
      expect(found.length, `${before}`).toBeGreaterThan(0);
    }
  }
  expect(
    [...piecesOf('y'.repeat(3 * PIECE))].flatMap((piece) => canariesIn(piece, [canary])),
  ).toEqual([]);
});

it('has no pieces of nothing, and keeps every character', () => {
  expect([...piecesOf('')]).toEqual([]);
  expect([...piecesOf('short')]).toEqual(['short']);
});
