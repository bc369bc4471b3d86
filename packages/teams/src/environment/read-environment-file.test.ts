import { describe, expect, test } from 'vitest';
import { describeEnvironmentProblems, readEnvironmentFile } from './read-environment-file.ts';

const GOOD = `v: 1
commands:
  - [npm, ci, --offline]
  - npm run build
lockfiles: [package.json, package-lock.json]
produces:
  - node_modules
`;

function problemsOf(text: string): string[] {
  const read = readEnvironmentFile(text);
  return read.ok ? [] : describeEnvironmentProblems(read.problems).split('\n');
}

test('what is left out has its default', () => {
  expect(readEnvironmentFile(GOOD)).toEqual({
    ok: true,
    environment: {
      v: 1,
      commands: [['npm', 'ci', '--offline'], 'npm run build'],
      lockfiles: ['package.json', 'package-lock.json'],
      produces: ['node_modules'],
      env: {},
      timeoutMinutes: 15,
      network: 'none',
      registries: [],
    },
  });
});

describe('a problem is told with its place:', () => {
  test.each([
    ['a mistyped key', GOOD.replace('lockfiles', 'lockfile'), '5:1: "lockfile" is not known here'],
    ['a missing key', GOOD.replace(/lockfiles.*\n/, ''), '1:1: "lockfiles" is missing'],
    [
      'a way out of the tree',
      GOOD.replace('- node_modules', '- ../x'),
      '7:5: produces.0: the path leaves',
    ],
    [
      'an absolute path',
      GOOD.replace('- node_modules', '- /etc'),
      '7:5: produces.0: the path is absolute',
    ],
    [
      'a git directory',
      GOOD.replace('- node_modules', '- a/.GIT'),
      '7:5: produces.0: the path lies in a git',
    ],
    [
      'a path twice',
      `${GOOD}  - node_modules\n`,
      '8:5: produces.1: "node_modules" is named already',
    ],
    [
      'a path in another',
      `${GOOD}  - node_modules/x\n`,
      '8:5: produces.1: "node_modules/x" is named already',
    ],
    [
      'what steers agents',
      GOOD.replace('- node_modules', '- a/.claude'),
      '7:5: produces.0: "a/.claude" steers agents',
    ],
    [
      'a lockfile elsewhere',
      GOOD.replace('package.json', '/etc/passwd'),
      '5:13: lockfiles.0: the path is absolute',
    ],
    ['no command', GOOD.replace(/commands:\n.*\n.*\n/, 'commands: []\n'), '2:1: commands: '],
    ['an empty command', GOOD.replace('[npm, ci, --offline]', '[]'), '3:5: commands.0'],
    ['a NUL in a command', GOOD.replace('npm run build', '"a\\0b"'), '4:5: commands.1'],
    [
      'a variable of the launcher',
      `${GOOD}env:\n  PATH: /work/bin\n`,
      '9:3: env.PATH: the name is set by the launcher',
    ],
    ['a bad variable', `${GOOD}env:\n  A-B: x\n`, '9:3: env.A-B: the name is not the name'],
    ['too long a time', `${GOOD}timeoutMinutes: 121\n`, '8:17: timeoutMinutes: '],
    ['an unknown network', `${GOOD}network: all\n`, '8:10: network: '],
    ['another version', GOOD.replace('v: 1', 'v: 2'), '1:4: v: '],
    ['no YAML', 'v: [1', '1:6: '],
    ['a list of lists', '[[]]', '1:1: the file: '],
  ])('%s', (_, text, expected) => {
    expect(problemsOf(text).some((problem) => problem.startsWith(expected))).toBe(true);
  });

  test('every problem at once, in the order of the file', () => {
    const problems = problemsOf(
      'v: 2\ncommands: [x]\nlockfiles: [a]\nproduces: [../b]\nextra: 1\n',
    );
    expect(problems.map((p) => p.split(':', 1)[0])).toEqual(['1', '4', '5']);
  });

  test('a mistyped key is not told as missing as well', () => {
    expect(problemsOf(GOOD.replace('lockfiles', 'lockfile'))).toHaveLength(1);
  });
});

test('a file of aliases upon aliases is refused and does not fill the memory', () => {
  const layers = Array.from({ length: 12 }, (_, i) =>
    i === 0 ? 'a0: &a0 [x, x]' : `a${i}: &a${i} [*a${i - 1}, *a${i - 1}, *a${i - 1}]`,
  );
  expect(problemsOf(layers.join('\n'))).toHaveLength(1);
});

test('a file that is too large is not parsed', () => {
  expect(problemsOf(`${GOOD}# ${'x'.repeat(70_000)}`)).toEqual([
    expect.stringMatching(/^1:1: the file has \d+ bytes/),
  ]);
});

test('paths beside one another are no repetition of one another', () => {
  expect(problemsOf(`${GOOD}  - node_modules2\n  - packages/a/node_modules\n`)).toEqual([]);
});
