import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '@sallyport/cli/command-table';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/** The command lines in a page: those of its sh blocks, and every `./sallyport …` in its text. */
function commandsIn(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap((match) =>
    (match[1] ?? '').split('\n'),
  );
  const inline = [...text.matchAll(/`(\.\/sallyport [^`]+)`/g)].map((match) => match[1] ?? '');
  return [...blocks, ...inline]
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** What is wrong with a command line that somebody may type from these pages, or null. */
async function problemWith(line: string): Promise<string | null> {
  const sallyport = /(?:^|\s)\.\/sallyport\s+([a-z-]+)(.*)$/.exec(line);
  if (sallyport !== null) return problemWithCommand(sallyport[1] ?? '', sallyport[2] ?? '');
  const script = /^(?:npm run|pnpm) ([a-z0-9:]+)/.exec(line);
  if (script !== null)
    return scripts.has(script[1] ?? '') ? null : `there is no script ${script[1]}`;
  const file = /^(?:sudo )?\.\/([a-z-]+\.sh)/.exec(line);
  if (file !== null) {
    return existsSync(join(ROOT, 'deploy/compose', file[1] ?? '')) ||
      existsSync(join(ROOT, 'deploy/airgap', file[1] ?? ''))
      ? null
      : `there is no ${file[1]}`;
  }
  return null;
}

async function problemWithCommand(name: string, rest: string): Promise<string | null> {
  const entry = COMMANDS[name];
  if (entry === undefined) return `there is no command ${name}`;
  const { command } = await entry.load();
  const own = rest.split(' -- ')[0] ?? '';
  for (const [, option] of own.matchAll(/\s--([a-z-]+)/g)) {
    if (option === undefined || option === 'json' || option === 'help') continue;
    if (command.passThrough !== true && !Object.hasOwn(command.options ?? {}, option))
      return `${name} has no option --${option}`;
  }
  return null;
}

const scripts = new Set(
  Object.keys(
    (
      JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
        scripts: Record<string, string>;
      }
    ).scripts,
  ),
);

it.each(PAGES)('%s names only commands, options and scripts that there are', async (page) => {
  const problems = await Promise.all(
    commandsIn(page).map(async (line) => {
      const problem = await problemWith(line);
      return problem === null ? [] : [`${line}: ${problem}`];
    }),
  );
  expect(problems.flat()).toEqual([]);
});

it.each([
  ['./sallyport halt --reason "x"', null],
  ['./sallyport hault --reason "x"', 'there is no command hault'],
  ['./sallyport halt --raison "x"', 'halt has no option --raison'],
  ['npm run demo', null],
  ['npm run demos', 'there is no script demos'],
  ['./setup.sh --app-id 1', null],
  ['./set-up.sh', 'there is no set-up.sh'],
])('says of `%s`: %s', async (line, problem) => {
  expect(await problemWith(line)).toBe(problem);
});

it('reads commands from every page that has some', () => {
  expect(PAGES.filter((page) => commandsIn(page).length > 0)).toEqual(
    expect.arrayContaining([
      'README.md',
      'CONTRIBUTING.md',
      'docs/running.md',
      'docs/operating.md',
      'docs/compose.md',
    ]),
  );
});
