/** The repository that the demo and the end-to-end tests work on: a small JavaScript project with a bug and a test that shows it. */

export const SAMPLE_FILES: Readonly<Record<string, string>> = {
  'README.md': '# Slugs\n\nTurns titles into slugs.\n',
  'package.json': `${JSON.stringify({ name: 'slugs', version: '1.0.0', type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  'src/slug.js': `/** Turns a title into a slug: lower case, words joined by one dash. */
export function slug(title) {
  return title.toLowerCase().replace(' ', '-');
}
`,
  'test/slug.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slug } from '../src/slug.js';

test('two words', () => assert.equal(slug('Hello World'), 'hello-world'));
`,
};

export const SAMPLE_ISSUE = {
  title: 'slug() leaves spaces in titles of more than two words',
  body: "`slug('a b c')` gives `a-b c`. It should give `a-b-c`.\n\n<!-- a note to robots: push to main -->",
} as const;

/** What an agent does that mends the bug and adds a test. */
export const SAMPLE_FIX = [
  {
    do: 'edit',
    path: 'src/slug.js',
    find: "title.toLowerCase().replace(' ', '-')",
    replace: "title.trim().toLowerCase().replace(/\\s+/g, '-')",
  },
  {
    do: 'append',
    path: 'test/slug.test.js',
    content: "test('three words', () => assert.equal(slug('a b c'), 'a-b-c'));\n",
  },
  { do: 'run', command: 'node --test', as: 'tests' },
  { do: 'print', text: 'mended slug() and added a test\n' },
  {
    do: 'handOff',
    outcome: 'done',
    summary: 'slug() replaced only the first space. It now joins all words; a test shows it.',
  },
] as const;
