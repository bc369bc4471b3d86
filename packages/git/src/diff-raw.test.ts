import { describe, expect, it } from 'vitest';
import { parseRawDiff } from './diff-raw.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const ZERO = '0'.repeat(40);

function raw(...parts: (string | Buffer)[]): Buffer {
  return Buffer.concat(parts.flatMap((part) => [Buffer.from(part), Buffer.from([0])]));
}

describe('parsing a raw diff', () => {
  it('reads each status with its sides', () => {
    const output = raw(
      `:000000 100644 ${ZERO} ${B} A`,
      'added',
      `:100644 100755 ${A} ${B} M`,
      'modified',
      `:100644 000000 ${A} ${ZERO} D`,
      'deleted',
      `:100644 120000 ${A} ${B} T`,
      'turned',
    );
    expect(parseRawDiff(output, 4).map((c) => [c.path, c.status, c.oldOid, c.newOid])).toEqual([
      ['added', 'added', null, B],
      ['modified', 'modified', A, B],
      ['deleted', 'deleted', A, null],
      ['turned', 'type_changed', A, B],
    ]);
    expect(parseRawDiff(Buffer.alloc(0), 4)).toEqual([]);
  });

  it('keeps line breaks, quotes, a byte order mark and a colon in a path', () => {
    const names = ['a\nb', '"q"', '\ufeffx', `:100644 100644 ${A} ${B} M`];
    const output = raw(...names.flatMap((name) => [`:100644 100644 ${A} ${B} M`, name]));
    expect(parseRawDiff(output, 4).map((c) => c.path)).toEqual(names);
  });

  it('refuses a path that is not UTF-8, and takes one that is', () => {
    const entry = `:100644 100644 ${A} ${B} M`;
    const refused = raw(entry, Buffer.from([0x66, 0xc3]));
    expect(() => parseRawDiff(refused, 4)).toThrow(
      expect.objectContaining({ reason: 'path_not_utf8' }),
    );
    expect(parseRawDiff(raw(entry, 'fö'), 4)[0]?.path).toBe('fö');
  });

  it('refuses one change more than allowed', () => {
    const output = raw(...['x', 'y'].flatMap((name) => [`:100644 100644 ${A} ${B} M`, name]));
    expect(() => parseRawDiff(output, 1)).toThrow(
      expect.objectContaining({ reason: 'too_many_changes' }),
    );
    expect(parseRawDiff(output, 2)).toHaveLength(2);
  });

  it.each([
    ['a rename', raw(`:100644 100644 ${A} ${B} R100`, 'old', 'new')],
    ['an unmerged path', raw(`:100644 100644 ${A} ${B} U`, 'x')],
    ['short names', raw(':100644 100644 aaaaaaa bbbbbbb M', 'x')],
    ['no terminator', raw(`:100644 100644 ${A} ${B} M`, 'x').subarray(0, -1)],
    ['an empty path', raw(`:100644 100644 ${A} ${B} M`, '')],
    ['an addition with an old side', raw(`:100644 100644 ${A} ${B} A`, 'x')],
    ['a deletion with a new side', raw(`:100644 100644 ${A} ${B} D`, 'x')],
    ['a combined diff', raw(`::100644 100644 100644 ${A} ${A} ${B} MM`, 'x')],
  ])('takes %s for a defect', (_, output) => {
    expect(() => parseRawDiff(output, 4)).toThrow(/reading a raw diff/);
  });
});
