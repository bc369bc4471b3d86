import { describe, expect, test } from 'vitest';
import type { Commit } from '../change.ts';
import { makeChange, makeInput, makeSet, BASE_OID, HEAD_OID } from '../testing/make-change.ts';
import { history } from './d15-history.ts';

const FIRST = '1'.repeat(40);
const token = `ghp_${'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zaB3dE'}`;
const whole = makeChange('src/a.ts', 'a\n', 'c\n');
const first = makeChange('src/a.ts', 'a\n', 'b\n');
const second = makeChange('src/a.ts', 'b\n', 'c\n');

async function ask(commits: Commit[], over: { base?: string } = {}): Promise<string[]> {
  const set = makeSet([whole], { commits, ...over });
  const findings = await history.check(makeInput([whole], { set }));
  return findings.map(({ severity, code }) => `${severity} ${code}`);
}

const line: Commit[] = [
  { oid: FIRST, parents: [BASE_OID], commitChanges: [first] },
  { oid: HEAD_OID, parents: [FIRST], commitChanges: [second] },
];
const withFirst = (over: Partial<Commit>): Commit[] =>
  line.map((commit) => (commit.oid === FIRST ? { ...commit, ...over } : commit));

describe('history', () => {
  test('one line of clean commits passes', async () => {
    expect(await ask(line)).toEqual([]);
  });

  test.each([
    ['a merge', withFirst({ parents: [BASE_OID, '9'.repeat(40)] })],
    ['a root', withFirst({ parents: [] })],
    ['another parent', withFirst({ parents: ['9'.repeat(40)] })],
    ['commits in the wrong order', line.toReversed()],
    ['a last commit that is not the head', line.slice(0, 1)],
    ['no commit at all', []],
  ])('refuses %s', async (_what, commits) => {
    expect(await ask(commits)).toEqual(['block not_one_line']);
  });

  test('a secret that was added and taken out again is refused, a word in its place is not', async () => {
    const turns = (word: string): Commit[] => [
      {
        oid: FIRST,
        parents: [BASE_OID],
        commitChanges: [makeChange('src/a.ts', 'a\n', `${word}\n`)],
      },
      {
        oid: HEAD_OID,
        parents: [FIRST],
        commitChanges: [makeChange('src/a.ts', `${word}\n`, 'c\n')],
      },
    ];
    expect(await ask(turns(token))).toEqual(['block secret']);
    expect(await ask(turns('word'))).toEqual([]);
  });

  test('a link, a protected path and an executable on the way are found', async () => {
    const link = makeChange('l', null, 'x', { newMode: '120000' });
    expect(await ask(withFirst({ commitChanges: [link] }))).toEqual(['block symlink']);
    expect(await ask(withFirst({ commitChanges: [makeChange('CODEOWNERS', 'a', 'b')] }))).toEqual([
      'block protected_path',
    ]);
    expect(
      await ask(
        withFirst({ commitChanges: [makeChange('x.sh', null, 'x', { newMode: '100755' })] }),
      ),
    ).toEqual(['hold exec_bit_set']);
  });

  test('what the whole change holds as well is not judged twice', async () => {
    const bad = makeChange('CODEOWNERS', 'a', 'b');
    const set = makeSet([bad]);
    expect(await history.check(makeInput([bad], { set }))).toEqual([]);
  });

  test('the finding names the commit', async () => {
    const set = makeSet([whole], {
      commits: withFirst({ commitChanges: [makeChange('CODEOWNERS', 'a', 'b')] }),
    });
    const [found] = await history.check(makeInput([whole], { set }));
    expect(found?.reason).toContain(FIRST.slice(0, 12));
    expect(found?.rule).toBe('d15_history');
  });
});
