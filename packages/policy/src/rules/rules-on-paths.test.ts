/** Each refusal stands beside a twin that differs in one thing and passes. */
import { describe, expect, test } from 'vitest';
import type { Change } from '../change.ts';
import { parsePolicyConfig } from '../policy-config.ts';
import type { RuleInput } from '../rule.ts';
import { makeChange, makeInput, makeSet } from '../testing/make-change.ts';
import { modes } from './d01-modes.ts';
import { execBit } from './d02-exec-bit.ts';
import { binary } from './d03-binary.ts';
import { caps } from './d04-caps.ts';
import { protectedPaths } from './d05-protected-paths.ts';
import { names } from './d06-names.ts';
import { measureCpuMs } from '../testing/measure-cpu.ts';

type SyncRule = { check(input: RuleInput): unknown };

/** The findings as `severity code`. */
function ask(rule: SyncRule, changes: Change[], over: Partial<RuleInput> = {}): string[] {
  const findings = rule.check(makeInput(changes, over)) as { severity: string; code: string }[];
  return findings.map(({ severity, code }) => `${severity} ${code}`);
}

const edit = (over: Partial<Change> = {}): Change => makeChange('src/a.ts', 'a\n', 'b\n', over);

describe('modes', () => {
  test.each([
    ['160000', 'block gitlink'],
    ['120000', 'block symlink'],
    ['100664', 'block unusual_mode'],
    ['100777', 'block unusual_mode'],
    ['104755', 'block unusual_mode'],
    ['040000', 'block unusual_mode'],
  ])('refuses mode %s on either side', (mode, expected) => {
    expect(ask(modes, [edit({ newMode: mode })])).toEqual([expected]);
    expect(ask(modes, [edit({ oldMode: mode })])).toEqual([expected]);
  });

  test.each(['100644', '100755'])('lets mode %s pass', (mode) => {
    expect(ask(modes, [edit({ newMode: mode, oldMode: mode })])).toEqual([]);
  });

  test('refuses the removal of a link as well', () => {
    const gone = makeChange('link', 'target', null);
    expect(ask(modes, [{ ...gone, oldMode: '120000' }])).toEqual(['block symlink']);
    expect(ask(modes, [gone])).toEqual([]);
  });
});

describe('the executable bit', () => {
  test.each([
    ['an edited file becomes executable', edit({ newMode: '100755' }), ['hold exec_bit_set']],
    [
      'a new file is executable',
      makeChange('bin/x', null, 'x', { newMode: '100755' }),
      ['hold exec_bit_set'],
    ],
    ['it was executable before', edit({ oldMode: '100755', newMode: '100755' }), []],
    ['it stops being executable', edit({ oldMode: '100755' }), []],
  ])('when %s', (_what, change, expected) => {
    expect(ask(execBit, [change])).toEqual(expected);
  });
});

describe('binaries', () => {
  const blob: Partial<Change> = {
    newText: null,
    newContent: 'binary',
    newBinary: true,
    newSize: 100,
  };
  const image = makeChange('docs/a.PNG', null, '', blob);
  const config = parsePolicyConfig({ allowBinary: [{ extension: '.png', maxBytes: 100 }] });

  test('a new binary is refused, a text at the same path is not', () => {
    expect(ask(binary, [image])).toEqual(['block binary_content']);
    expect(ask(binary, [makeChange('docs/a.PNG', null, 'text')])).toEqual([]);
  });

  test('the allow-list lets its extension pass up to its size', () => {
    expect(ask(binary, [image], { config })).toEqual([]);
    expect(ask(binary, [{ ...image, newSize: 101 }], { config })).toEqual(['block binary_content']);
    expect(ask(binary, [{ ...image, path: 'docs/a.png.exe' }], { config })).toEqual([
      'block binary_content',
    ]);
  });

  test('a binary that goes away is held', () => {
    const gone = makeChange('a.bin', '', null, {
      oldText: null,
      oldContent: 'binary',
      oldBinary: true,
    });
    expect(ask(binary, [gone])).toEqual(['hold binary_removed']);
    expect(ask(binary, [makeChange('a.bin', '', null)])).toEqual([]);
  });
});

describe('caps', () => {
  const many = (count: number): Change[] =>
    Array.from({ length: count }, (_, at) => makeChange(`f/${at}.txt`, null, 'x\n'));
  const lines = (count: number): string => 'x\n'.repeat(count);

  test.each([
    ['files', many(300), many(301), 'too_many_files'],
    [
      'lines',
      [makeChange('a', null, lines(5_000))],
      [makeChange('a', null, lines(5_001))],
      'too_many_lines',
    ],
    [
      'deleted lines',
      [makeChange('a', lines(5_000), null)],
      [makeChange('a', lines(5_001), null)],
      'too_many_lines',
    ],
    [
      'characters in a line',
      [makeChange('a', null, 'x'.repeat(20_000))],
      [makeChange('a', null, 'x'.repeat(20_001))],
      'line_too_long',
    ],
    [
      'bytes of a file',
      [edit({ newSize: 1_048_576 })],
      [edit({ newSize: 1_048_577 })],
      'file_too_large',
    ],
    [
      'bytes of a path',
      [makeChange(`${'a/'.repeat(2)}${'b'.repeat(255)}/${'c'.repeat(252)}`, null, 'x')],
      [makeChange(`${'a/'.repeat(2)}${'b'.repeat(255)}/${'c'.repeat(253)}`, null, 'x')],
      'path_too_long',
    ],
    [
      'bytes of a component',
      [makeChange('é'.repeat(127), null, 'x')],
      [makeChange('é'.repeat(128), null, 'x')],
      'path_too_long',
    ],
    [
      'levels',
      [makeChange(`${'d/'.repeat(31)}a`, null, 'x')],
      [makeChange(`${'d/'.repeat(32)}a`, null, 'x')],
      'path_too_deep',
    ],
  ])('the cap on %s', (_what, within, beyond, code) => {
    expect(ask(caps, within)).toEqual([]);
    expect(ask(caps, beyond)).toEqual([`block ${code}`]);
  });

  test('the cap on all bytes counts every file', () => {
    const quarter = Array.from({ length: 4 }, (_, at) =>
      edit({ path: `f${at}`, newSize: 1_048_576 }),
    );
    expect(ask(caps, quarter)).toEqual([]);
    expect(ask(caps, [...quarter, edit({ path: 'f4', newSize: 1 })])).toEqual([
      'block too_many_bytes',
    ]);
  });

  test('the cap on commits', () => {
    const commits = (count: number) =>
      Array.from({ length: count }, () => ({
        oid: '1'.repeat(40),
        parents: [],
        commitChanges: [],
      }));
    expect(ask(caps, [edit()], { set: makeSet([edit()], { commits: commits(50) }) })).toEqual([]);
    expect(ask(caps, [edit()], { set: makeSet([edit()], { commits: commits(51) }) })).toEqual([
      'block too_many_commits',
    ]);
  });

  test('content that was not read is refused on the new side and held on the old', () => {
    expect(ask(caps, [edit({ newText: null, newContent: 'over_cap' })])).toEqual([
      'block content_not_read',
    ]);
    expect(ask(caps, [edit({ oldText: null, oldContent: 'over_cap' })])).toEqual([
      'hold old_content_not_read',
    ]);
  });

  test('limits are configurable', () => {
    const config = parsePolicyConfig({ limits: { files: 1 } });
    expect(ask(caps, many(2), { config })).toEqual(['block too_many_files']);
    expect(ask(caps, many(1), { config })).toEqual([]);
  });
});

describe('protected paths', () => {
  test.each([
    ['.github/workflows/ci.yml', 'github/workflows/ci.yml'],
    ['.GitHub/workflows/ci.yml', 'src/workflows/ci.yml'],
    ['.new-tool/config', 'new-tool/config'],
    ['packages/a/.claude/settings.json', 'packages/a/claude/settings.json'],
    ['packages/a/.vscode/tasks.json', 'packages/a/vscode/tasks.json'],
    ['.gitlab-ci.yml', 'gitlab-ci.md'],
    ['ci/Jenkinsfile.release', 'ci/jenkins.md'],
    ['tools/action.yml', 'tools/reaction.yml'],
    ['.gitattributes', 'gitattributes'],
    ['sub/.gitmodules', 'sub/gitmodules.ts'],
    ['.gitignore', 'ignore.ts'],
    ['AGENTS.md', 'AGENCY.md'],
    ['docs/claude.MD', 'docs/clause.md'],
    ['sub/.mcp.json', 'sub/mcp-server.json'],
    ['CODEOWNERS', 'codeowners.ts'],
    ['docs/CODEOWNERS', 'docs/owners'],
    ['SECURITY.md', 'docs/securities.md'],
    ['LICENSE', 'license-check/a.ts'],
    ['LICENCE-MIT.txt', 'docs/licensing.md'],
    // Written so that only folding finds them: full width, zero width, trailing dot.
    ['.ｇithub/workflows/a.yml', 'ｇithub/workflows/a.yml'],
    ['CODE\u200bOWNERS', 'CODE\u200bOWNER'],
    ['CODEOWNERS.', 'CODEOWNERS.ts'],
  ])('refuses %s and not %s', (refused, passed) => {
    expect(ask(protectedPaths, [makeChange(refused, 'a', 'b')])).toEqual(['block protected_path']);
    expect(ask(protectedPaths, [makeChange(passed, 'a', 'b')])).toEqual([]);
  });

  test('a deletion is refused like an edit', () => {
    expect(ask(protectedPaths, [makeChange('CODEOWNERS', 'a', null)])).toEqual([
      'block protected_path',
    ]);
  });

  test.each([
    [['.github/workflows/ci.yml'], 'hold protected_path'],
    [['.github/workflows/'], 'hold protected_path'],
    [['.github/**'], 'hold protected_path'],
    [['.github/workflows/other.yml'], 'block protected_path'],
    [['**'], 'block protected_path'],
    [['/'], 'block protected_path'],
    [['*'], 'block protected_path'],
    [[], 'block protected_path'],
  ])('with the scope %j it is: %s', (paths, expected) => {
    const change = makeChange('.github/workflows/ci.yml', 'a', 'b');
    expect(ask(protectedPaths, [change], { scope: { paths } })).toEqual([expected]);
  });
});

describe('names', () => {
  const added = (path: string): Change => makeChange(path, null, 'x');

  test.each([
    ['a\nb.ts', 'ab.ts'],
    ['a\u001b[31m.ts', 'a31m.ts'],
    ['a\u0085b', 'ab'],
    ['..\\..\\x', 'x'],
    ['a:b.ts', 'a-b.ts'],
    ['what?.ts', 'what.ts'],
    ['a\u202egnp.ts', 'agnp.ts'],
    ['a\u200bb.ts', 'ab.ts'],
    ['a\u{e0041}.ts', 'aA.ts'],
    ['a\ufe0f.ts', 'a.ts'],
    ['naïve.ts', 'naive.ts'],
    ['src/pаss.ts', 'src/pass.ts'],
    ['src/-rf', 'src/rf'],
    ['src/ a', 'src/a'],
    ['src/a ', 'src/a'],
    ['src/a.', 'src/a'],
    ['src//a', 'src/a'],
    ['src/../a', 'src/a'],
    ['./a', 'a'],
    ['/etc/passwd', 'etc/passwd'],
    ['src/.git/config', 'src/git/config'],
    ['src/.GIT/config', 'src/.gitt/config'],
    ['src/GIT~1/config', 'src/gita1/config'],
    ['src/con.txt', 'src/icon.txt'],
    ['COM1', 'COMB'],
    ['a\ufffd.ts', 'a.ts'],
  ])('refuses the new name %j and not %j', (refused, passed) => {
    expect(ask(names, [added(refused)])).toContain('block bad_name');
    expect(ask(names, [added(passed)])).toEqual([]);
  });

  test('beyond ASCII an existing name passes, a new one only when allowed, and never out of normal form', () => {
    expect(ask(names, [makeChange('naïve.ts', 'a', 'b')])).toEqual([]);
    const config = parsePolicyConfig({ allowUnicodeNames: true });
    expect(ask(names, [added('naïve.ts')], { config })).toEqual([]);
    expect(ask(names, [added('nai\u0308ve.ts')], { config })).toEqual(['block bad_name']);
  });

  test('a bad name may go away', () => {
    expect(ask(names, [makeChange('a:b', 'x', null)])).toEqual([]);
    expect(ask(names, [makeChange('a:b', 'x', 'y')])).toEqual(['block bad_name']);
  });

  test.each([
    ['a file of the base', 'SRC.ts', ['src.ts'], 'block name_collision'],
    ['a folder of the base', 'Src/b.ts', ['src/a.ts'], 'block name_collision'],
    ['nothing', 'src/b.ts', ['src/a.ts'], null],
    ['a folder below which it lies', 'src/lib/b.ts', ['src/a.ts'], null],
  ])('a new name against %s', (_what, path, basePaths, expected) => {
    const set = makeSet([added(path)], { basePaths });
    expect(ask(names, [added(path)], { set })).toEqual(expected === null ? [] : [expected]);
  });

  test('two new names that fold into one are refused, a renaming by case is not', () => {
    expect(ask(names, [added('a/Read.ts'), added('a/read.ts')])).toEqual([
      'block name_collision',
      'block name_collision',
    ]);
    const renaming = [makeChange('a/Read.ts', 'x', null), added('a/read.ts')];
    expect(ask(names, renaming, { set: makeSet(renaming, { basePaths: ['a/Read.ts'] }) })).toEqual(
      [],
    );
  });

  test('a new file is held when the base paths are not known, an edit is not', () => {
    const set = makeSet([], { basePaths: null });
    expect(ask(names, [added('a.ts')], { set })).toEqual(['hold base_paths_unknown']);
    expect(ask(names, [edit()], { set })).toEqual([]);
  });

  test('a path of sixty thousand levels is refused at once', async () => {
    let found: string[] = [];
    const spent = await measureCpuMs(() => {
      found = ask(names, [added('a/'.repeat(30_000))]);
    });
    expect(found).toEqual(['block bad_name']);
    expect(spent).toBeLessThan(1_000);
  });
});
