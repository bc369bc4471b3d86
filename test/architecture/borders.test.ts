import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { checkBorders, type Violation } from './borders.ts';
import { importsOf } from './imports-of.ts';

const ROOT = join(import.meta.dirname, '../..');

function sourceFiles(): string[] {
  return ['services', 'packages', 'test'].flatMap((dir) =>
    readdirSync(join(ROOT, dir), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:ts|mts|mjs|js)$/.test(entry.name))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
      .filter((file) => !file.includes('node_modules')),
  );
}

function violationsIn(file: string, source: string): Violation[] {
  return checkBorders(
    file,
    importsOf(file, source).map((found) => found.specifier),
  );
}

it('holds in every file of the house', () => {
  const files = sourceFiles();
  expect(files.length).toBeGreaterThan(100);
  expect(
    files.flatMap((file) => violationsIn(file, readFileSync(join(ROOT, file), 'utf8'))),
  ).toEqual([]);
});

const SPELLINGS = [
  ['import', (m: string) => `import { x } from '${m}';`],
  ['a bare import', (m: string) => `import '${m}';`],
  ['a type import', (m: string) => `import type { X } from '${m}';`],
  ['an inline type import', (m: string) => `export type X = import('${m}').X;`],
  ['export from', (m: string) => `export { x } from '${m}';`],
  ['export all', (m: string) => `export * from '${m}';`],
  ['import()', (m: string) => `const x = await import('${m}');`],
  ['import() with a template', (m: string) => `const x = await import(\`${m}\`);`],
  ['import() over two lines', (m: string) => `const x = await import(\n  /* why */ '${m}'\n);`],
  ['require', (m: string) => `const x = require('${m}');`],
  [
    'createRequire',
    (m: string) =>
      `import { createRequire } from 'node:module';\nconst x = createRequire(import.meta.url)('${m}');`,
  ],
  ['import.meta.resolve', (m: string) => `const x = import.meta.resolve('${m}');`],
] as const;

const PLANTED = [
  [
    'an octokit import in the gate',
    'services/gate/src/x.ts',
    '@octokit/rest',
    '@octokit/rest',
    'services/publisher/src/x.ts',
  ],
  [
    'dockerode in the publisher',
    'services/publisher/src/x.ts',
    'dockerode',
    'dockerode',
    'services/worker-launcher/src/x.ts',
  ],
  [
    'dockerode in the engine guard',
    'services/worker-launcher/src/engine-guard/x.ts',
    'dockerode',
    'dockerode',
    'services/worker-launcher/src/launcher/x.ts',
  ],
  [
    'the launcher in the engine guard',
    'services/worker-launcher/src/engine-guard/x.ts',
    '../launcher/x.ts',
    './launcher/x.ts',
    'services/worker-launcher/src/engine-guard/x.ts',
  ],
  [
    'Postgres in the engine guard',
    'services/worker-launcher/src/engine-guard/x.ts',
    '@sallyport/shared/db/pool',
    '@sallyport/shared/errors',
    'services/worker-launcher/src/engine-guard/x.ts',
  ],
  [
    'bullmq in the gate',
    'services/gate/src/x.ts',
    'bullmq',
    'bullmq',
    'packages/shared/src/queue/x.ts',
  ],
  [
    'a service in another, by path',
    'services/gate/src/x.ts',
    '../../publisher/src/x.ts',
    './y.ts',
    'services/gate/src/x.ts',
  ],
  [
    'a service in another, by a winding path',
    'services/gate/src/x.ts',
    '../src/../../intake/src/x.ts',
    '../src/y.ts',
    'services/gate/src/x.ts',
  ],
  [
    'a service in another, by name',
    'services/gate/src/x.ts',
    '@sallyport/publisher/x',
    '@sallyport/shared/x',
    'services/gate/src/x.ts',
  ],
  [
    'a service in a package',
    'packages/shared/src/x.ts',
    '../../../services/gate/src/x.ts',
    '../../git/src/x.ts',
    'packages/shared/src/x.ts',
  ],
  [
    'test support in a service',
    'services/gate/src/x.ts',
    '../../../test/support/github/x.ts',
    './y.ts',
    'services/gate/src/x.ts',
  ],
  [
    'an absolute path',
    'services/gate/src/x.ts',
    '/opt/publisher/src/x.ts',
    './y.ts',
    'services/gate/src/x.ts',
  ],
] as const;

it.each(
  PLANTED.flatMap((plant) =>
    SPELLINGS.map(([spelling, write]) => [plant[0], spelling, plant, write] as const),
  ),
)(
  'catches %s, spelled as %s, and passes its twin',
  (_, __, [, file, forbidden, allowed, allowedFile], write) => {
    expect(violationsIn(file, write(forbidden))).toHaveLength(1);
    expect(violationsIn(allowedFile, write(allowed))).toEqual([]);
  },
);

it('does not take text for an import', () => {
  const source = `// import '@octokit/rest'\nconst x = "import '@octokit/rest'"; /* require('dockerode') */`;
  expect(violationsIn('services/gate/src/x.ts', source)).toEqual([]);
});

it('refuses a module named by a computed value, since nobody could check it', () => {
  expect(
    violationsIn('services/gate/src/x.ts', 'const x = await import(`@octo${kit}`);'),
  ).toHaveLength(1);
  expect(
    violationsIn('services/gate/src/x.ts', "const x = await import('@' + 'octokit/rest');"),
  ).toHaveLength(1);
});
