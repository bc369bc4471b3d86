import { describe, expect, it } from 'vitest';
import { parseBatch, type ObjectInfo } from './batch-reader.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const first: ObjectInfo = { oid: A, kind: 'blob', size: 60 };
const second: ObjectInfo = { oid: B, kind: 'blob', size: 0 };
// A content that looks like the next object's header.
const content = `${B} blob 3\nabc`.padEnd(60, '\n');
const output = Buffer.from(`${A} blob 60\n${content}\n${B} blob 0\n\n`);

describe('parsing a batch', () => {
  it('takes contents by their size, whatever they look like', () => {
    const contents = parseBatch(output, [first, second]);
    expect(contents.get(A)?.toString()).toBe(content);
    expect(contents.get(B)?.length).toBe(0);
  });

  it.each([
    ['a truncated content', output.subarray(0, 80), [first, second]],
    ['another object', output, [second, first]],
    ['another size', output, [{ ...first, size: 49 }, second]],
    ['another kind', output, [{ ...first, kind: 'tree' as const }, second]],
    ['more than was asked', output, [first]],
    ['less than was asked', output, [first, second, first]],
    ['a missing object', Buffer.from(`${A} missing\n`), [first]],
  ])('refuses %s', (_, bytes, infos) => {
    expect(() => parseBatch(bytes, infos)).toThrow(expect.objectContaining({ code: 'internal' }));
  });
});
