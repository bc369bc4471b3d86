import { describe, expect, it } from 'vitest';
import { parseCommitLinks } from './commit-object.ts';
import { followLine } from './read-history.ts';
import { commit } from './testing/object-writer.ts';

const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(40)) as [
  string,
  string,
  string,
  string,
];

describe('reading a commit', () => {
  it('takes tree and parents from the header, not from the message', () => {
    const message = `tree ${D}\nparent ${D}\n`;
    expect(parseCommitLinks(commit({ tree: A, message }).bytes)).toEqual({ tree: A, parents: [] });
    const merge = commit({ tree: A, parents: [B, C] });
    expect(parseCommitLinks(merge.bytes)).toEqual({ tree: A, parents: [B, C] });
  });

  it.each([
    ['no tree', `parent ${A}\nauthor x\n`],
    ['a short tree', `tree ${A.slice(1)}\nauthor x\n`],
    ['an upper-case tree', `tree ${A.toUpperCase()}\nauthor x\n`],
    [
      'something between its parents and its author',
      `tree ${A}\ngpgsig x\nparent ${B}\nauthor x\n`,
    ],
    ['a short parent', `tree ${A}\nparent ${B.slice(1)}\nauthor x\n`],
    ['nothing', ''],
  ])('refuses one with %s', (_, text) => {
    const act = () => parseCommitLinks(Buffer.from(text));
    expect(act).toThrow(expect.objectContaining({ reason: 'commit_malformed' }));
  });
});

describe('following a line', () => {
  it('leads from the base to the head, or says why not', () => {
    const line = new Map([
      [C, [B]],
      [B, [A]],
    ]);
    expect(followLine(line, C, A)).toEqual([B, C]);
    expect(() => followLine(new Map([[C, [B]]]), C, A)).toThrow(/does not lead/);
    expect(() => followLine(new Map([[C, [A, B]]]), C, A)).toThrow(/merge/);
    expect(() => followLine(new Map([[C, []]]), C, A)).toThrow(/no parent/);
  });
});
