import { describe, expect, test } from 'vitest';
import type { Change } from '../change.ts';
import { makeChange, makeInput } from '../testing/make-change.ts';
import { testsWeakened } from './d09-tests-weakened.ts';
import { measureCpuMs, megabyteOf } from '../testing/measure-cpu.ts';

async function ask(...changes: Change[]): Promise<string[]> {
  const findings = await testsWeakened.check(makeInput(changes));
  return findings.map(({ severity, code }) => `${severity} ${code}`);
}

const source = makeChange('src/sum.ts', 'return 1;\n', 'return 2;\n');
const jsTest =
  "it('adds', () => {\n  expect(sum(1, 1)).toBe(2);\n  expect(sum(1, 2)).toBe(3);\n});\n";
const pyTest = 'def test_add():\n    assert add(1, 1) == 2\n    assert add(1, 2) == 3\n';

describe('weakened tests', () => {
  test.each([
    [
      'an assertion goes',
      'src/sum.test.ts',
      jsTest,
      jsTest.replace('  expect(sum(1, 2)).toBe(3);\n', ''),
      'fewer_assertions',
    ],
    [
      'an assertion becomes a comment',
      'src/sum.test.ts',
      jsTest,
      jsTest.replace('  expect(sum(1, 2)', '  // expect(sum(1, 2)'),
      'fewer_assertions',
    ],
    [
      'a test is skipped',
      'src/sum.test.ts',
      jsTest,
      jsTest.replace('it(', 'it.skip('),
      'test_skipped',
    ],
    [
      'a test is skipped by name',
      'src/sum.test.ts',
      jsTest,
      jsTest.replace('it(', 'xit('),
      'test_skipped',
    ],
    ['a test runs alone', 'test/sum.ts', jsTest, jsTest.replace('it(', 'it.only('), 'test_skipped'],
    [
      'a checker is silenced',
      'src/sum.spec.ts',
      jsTest,
      `// @ts-ignore\n${jsTest}`,
      'check_suppressed',
    ],
    [
      'the process ends itself',
      'src/sum.test.ts',
      jsTest,
      `process.exit(0);\n${jsTest}`,
      'check_suppressed',
    ],
    ['a test goes', 'src/sum.test.ts', `${jsTest}it('b', () => {});\n`, jsTest, 'fewer_tests'],
    [
      'a Python assertion goes',
      'tests/test_add.py',
      pyTest,
      pyTest.replace('    assert add(1, 2) == 3\n', ''),
      'fewer_assertions',
    ],
    [
      'a Python test is skipped',
      'tests/test_add.py',
      pyTest,
      `@pytest.mark.skip\n${pyTest}`,
      'test_skipped',
    ],
    [
      'a Python test is expected to fail',
      'tests/test_add.py',
      pyTest,
      `@pytest.mark.xfail(reason="x")\n${pyTest}`,
      'test_skipped',
    ],
  ])('is held when %s', async (_what, path, before, after, code) => {
    expect(await ask(source, makeChange(path, before, after))).toEqual([`hold ${code}`]);
  });

  test.each([
    [
      'an assertion is added',
      'src/sum.test.ts',
      jsTest,
      jsTest.replace('});', '  expect(1).toBe(1);\n});'),
    ],
    [
      'an assertion is replaced beside a source change',
      'src/sum.test.ts',
      jsTest,
      jsTest.replace('toBe(3)', 'toStrictEqual(3)'),
    ],
    ['a skip is taken out', 'src/sum.test.ts', jsTest.replace('it(', 'it.skip('), jsTest],
    ['a file of tests is new', 'src/new.test.ts', null, jsTest],
    [
      'a Python test is added',
      'tests/test_add.py',
      pyTest,
      `${pyTest}def test_b():\n    assert b()\n`,
    ],
    ['the same goes from a source file', 'src/checks.ts', jsTest, ''],
  ])('passes when %s', async (_what, path, before, after) => {
    expect(await ask(source, makeChange(path, before, after))).toEqual([]);
  });

  test('a deleted file of tests is held, one that moved is not', async () => {
    const gone = makeChange('src/sum.test.ts', jsTest, null);
    expect(await ask(source, gone)).toEqual(['hold test_deleted']);
    expect(await ask(source, gone, makeChange('test/sum.test.ts', null, jsTest))).toEqual([]);
    expect(await ask(source, gone, makeChange('src/sum-old.txt', null, jsTest))).toEqual([
      'hold test_deleted',
    ]);
  });

  test('changed expectations are held when no source file changes with them', async () => {
    const rewritten = makeChange('src/sum.test.ts', jsTest, jsTest.replace('toBe(3)', 'toBe(4)'));
    expect(await ask(rewritten)).toEqual(['hold expectation_changed']);
    expect(await ask(rewritten, makeChange('README.md', 'a', 'b'))).toEqual([
      'hold expectation_changed',
    ]);
    const named = makeChange('src/sum.test.ts', jsTest, jsTest.replaceAll('sum(', 'add('));
    expect(await ask(named)).toEqual(['hold expectation_changed']);
    expect(await ask(named, source)).toEqual([]);
  });

  test.each([
    ['a number', 'src/sum.test.ts', jsTest, jsTest.replace('toBe(3)', 'toBe(4)')],
    ['a string', 'a.test.js', "assert.equal(f(), 'a-b');\n", "assert.equal(f(), 'a_b');\n"],
    ['a value of Python', 'test_add.py', pyTest, pyTest.replace('== 3', '== None')],
  ])(
    'an assertion that comes back with %s exchanged is held also beside its source',
    async (_, path, before, after) => {
      expect(await ask(makeChange(path, before, after), source)).toEqual([
        'hold expectation_changed',
      ]);
      // The twins: the same assertion moved, and one more beside it.
      expect(await ask(makeChange(path, before, `\n${before}`), source)).toEqual([]);
      expect(await ask(makeChange(path, before, `${before}${after}`), source)).toEqual([]);
    },
  );

  test('a literal on a line of its own is an expectation too, an import is not', async () => {
    const wide = "it('a', () => {\n  expect(x).toEqual({\n    a: 1,\n  });\n});\n";
    expect(await ask(makeChange('a.test.ts', wide, wide.replace('a: 1', 'a: 2')))).toEqual([
      'hold expectation_changed',
    ]);
    const imports = `import { a } from './a.ts';\n${jsTest}`;
    expect(
      await ask(makeChange('a.test.ts', imports, imports.replace('./a.ts', './b.ts'))),
    ).toEqual([]);
  });

  test('rewritten snapshots are held unless a source file changes too', async () => {
    const snapshot = makeChange('src/__snapshots__/a.snap', 'exports = 1\n', 'exports = 2\n');
    expect(await ask(snapshot)).toEqual(['hold expectation_changed']);
    expect(await ask(snapshot, source)).toEqual([]);
  });

  test.each(['it.a.a.a', 'expect', 'assert.a.', 'def test', ' ', 'skip: ', 'should.a'])(
    'a megabyte of %j on one line is counted within two seconds of processor time',
    async (unit) => {
      const text = megabyteOf(unit);
      const spent = await measureCpuMs(() =>
        ask(makeChange('a.test.ts', '', text), makeChange('test_a.py', '', text)),
      );
      expect(spent).toBeLessThan(2_000);
    },
  );
});
