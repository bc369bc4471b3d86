/** The linter's import rules, tried on planted violations: a rule whose pattern matches nothing passes everything. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const OXLINT = join(ROOT, 'node_modules', 'oxlint', 'bin', 'oxlint');

/** What is imported, where that is refused, and where it is allowed. */
const BORDERS: readonly [
  specifier: string,
  refused: readonly string[],
  allowed: readonly string[],
][] = [
  [
    '@octokit/rest',
    [
      'services/gate/src/a.ts',
      'services/gate/src/a.test.ts',
      'services/worker-launcher/src/a.ts',
      'packages/cli/src/a.ts',
    ],
    [
      'services/publisher/src/publisher/a.ts',
      'services/publisher/src/a.test.ts',
      'test/e2e/a.test.ts',
    ],
  ],
  [
    'dockerode',
    ['services/publisher/src/a.ts', 'packages/git/src/a.ts'],
    ['services/worker-launcher/src/engine-guard/a.ts'],
  ],
  [
    'bullmq',
    ['services/gate/src/a.ts', 'services/worker-launcher/src/a.ts', 'packages/shared/src/a.ts'],
    ['packages/shared/src/queue/a.ts', 'services/console/src/a.ts', 'services/gate/src/a.test.ts'],
  ],
  [
    'node:child_process',
    ['services/gate/src/a.ts', 'services/intake/src/a.ts', 'packages/policy/src/a.ts'],
    [
      'packages/git/src/a.ts',
      'packages/cli/src/local/a.ts',
      'services/worker-launcher/src/a.ts',
      'services/publisher/src/a.ts',
    ],
  ],
  [
    '../../gate/src/main.ts',
    ['services/intake/src/a.ts', 'services/publisher/src/a.ts'],
    ['test/integration/a.ts'],
  ],
  ['../../../services/gate/src/main.ts', ['packages/cli/src/a.ts'], ['test/e2e/a.ts']],
  ['@sallyport/gate', ['packages/cli/src/a.ts'], []],
  ['../publisher/a.ts', [], ['services/publisher/src/importer/b.ts']],
];

let root = '';
beforeAll(() => {
  root = mkdtempSync('/tmp/sp-test-lint-');
  const { options: _, ...config } = JSON.parse(readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8'));
  writeFileSync(join(root, '.oxlintrc.json'), JSON.stringify(config));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

function isRefused(file: string, specifier: string): boolean {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), `import { x } from '${specifier}';\nexport const y = x;\n`);
  const linted = spawnSync(OXLINT, ['--format', 'unix', file], { cwd: root, encoding: 'utf8' });
  rmSync(join(root, file));
  return linted.stdout.includes('no-restricted-imports');
}

describe.each(BORDERS)('importing %s', (specifier, refused, allowed) => {
  it('is refused where it does not belong, and there alone', () => {
    expect(refused.filter((file) => !isRefused(file, specifier))).toEqual([]);
    expect(allowed.filter((file) => isRefused(file, specifier))).toEqual([]);
  });
});
