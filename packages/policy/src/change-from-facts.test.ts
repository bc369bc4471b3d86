import { describe, expect, test } from 'vitest';
import { changeSetFromFacts } from './change-from-facts.ts';
import type { ChangedPath } from './change-from-facts.ts';

const oid = (digit: string): string => digit.repeat(40);
const change: ChangedPath = {
  path: 'a.ts',
  status: 'modified',
  oldMode: '100644',
  newMode: '100644',
  oldOid: oid('1'),
  newOid: oid('2'),
  oldSize: 2,
  newSize: 2,
};

function build(over: Partial<ChangedPath>, contents: [string, Uint8Array][]) {
  const changes = [{ ...change, ...over }];
  const facts = {
    base: oid('a'),
    headOid: oid('c'),
    changes,
    commits: [{ oid: oid('c'), parent: oid('a'), changes }],
  };
  return changeSetFromFacts(facts, new Map(contents), []).changes[0];
}

describe('building a change from the facts of an import', () => {
  test('decodes what was handed over', () => {
    const built = build({}, [
      [oid('1'), Buffer.from('a\n')],
      [oid('2'), Buffer.from('b\n')],
    ]);
    expect(built).toMatchObject({
      oldText: 'a\n',
      newText: 'b\n',
      oldContent: 'text',
      newContent: 'text',
    });
  });

  test('marks a content that was not handed over', () => {
    const built = build({}, [[oid('1'), Buffer.from('a\n')]]);
    expect(built).toMatchObject({ newText: null, newContent: 'over_cap', newBinary: false });
  });

  test.each([
    ['a NUL', Buffer.from('a\0b')],
    ['a byte that is not UTF-8', Buffer.from([0x61, 0xff])],
  ])('calls content with %s binary', (_what, bytes) => {
    const built = build({}, [
      [oid('1'), Buffer.from('a\n')],
      [oid('2'), bytes],
    ]);
    expect(built).toMatchObject({ newText: null, newContent: 'binary', newBinary: true });
  });

  test('calls content with a byte order mark text and keeps the mark', () => {
    const built = build({}, [
      [oid('1'), Buffer.from('a\n')],
      [oid('2'), Buffer.from('\ufeffb\n')],
    ]);
    expect(built?.newText).toBe('\ufeffb\n');
  });

  test('gives an absent side zeros and a gitlink no content', () => {
    const built = build(
      {
        status: 'added',
        oldMode: '000000',
        oldOid: null,
        oldSize: null,
        newMode: '160000',
        newSize: null,
      },
      [],
    );
    expect(built).toMatchObject({
      oldOid: oid('0'),
      oldContent: 'absent',
      newContent: 'not_a_blob',
      newSize: 0,
    });
  });
});
