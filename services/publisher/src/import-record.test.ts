import type { ImportFacts } from '@sallyport/git/import-facts';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decodeImportRecord, encodeImportRecord } from './import-record.ts';

const oid = 'a'.repeat(40);
const bytes = Buffer.from([0, 255, 10]);
const bytesOid = createHash('sha1').update('blob 3\0').update(bytes).digest('hex');
const facts: ImportFacts = {
  v: 1,
  ref: 'refs/heads/agent/x',
  base: oid,
  baseTree: oid,
  headOid: oid,
  headTree: oid,
  bundleSha256: 'b'.repeat(64),
  bundleBytes: 1,
  objectCount: 1,
  objectBytes: 1,
  commits: [],
  changes: [],
  blobs: [],
};

describe('the import record', () => {
  it('comes back as it went, bytes and all', () => {
    const record = {
      facts,
      contents: new Map([[bytesOid, bytes]]),
      basePaths: ['a', 'b'],
    };
    expect(decodeImportRecord(encodeImportRecord(record))).toEqual(record);
  });

  it('leaves out base paths that would fill it, which is not the same as none', () => {
    const basePaths = Array.from({ length: 9_000 }, (_, n) => `${'p'.repeat(1_000)}${n}`);
    expect(
      decodeImportRecord(encodeImportRecord({ facts, contents: new Map(), basePaths })).basePaths,
    ).toBeNull();
    expect(
      decodeImportRecord(encodeImportRecord({ facts, contents: new Map(), basePaths: [] }))
        .basePaths,
    ).toEqual([]);
  });

  it.each([
    ['no JSON', 'nonsense'],
    ['another version', JSON.stringify({ v: 2, facts, contents: {}, basePaths: null })],
    ['an extra key', JSON.stringify({ v: 1, facts, contents: {}, basePaths: null, more: 1 })],
    [
      'a content under no object name',
      JSON.stringify({ v: 1, facts, contents: { x: '' }, basePaths: null }),
    ],
    [
      'a content under the name of another',
      JSON.stringify({
        v: 1,
        facts,
        contents: { [oid]: bytes.toString('base64') },
        basePaths: null,
      }),
    ],
    [
      'facts of another form',
      JSON.stringify({ v: 1, facts: { ...facts, headTree: 'x' }, contents: {}, basePaths: null }),
    ],
  ])('refuses %s', (_, text) => {
    expect(() => decodeImportRecord(Buffer.from(text))).toThrow(
      expect.objectContaining({ code: 'bad_input' }),
    );
  });
});
