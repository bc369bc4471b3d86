/**
 * A small npm project: one dependency, which lies packed in a directory that an operator lends as a registry and without
 * which its test fails, and one thing that is built and that no rule ignores. Nothing of it needs a network.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface NpmProject {
  /** The project, with its environment file. */
  files: Record<string, string>;
  /** A directory of this host; removed by the caller. */
  registry: string;
}

export const ENVIRONMENT_YAML = `v: 1
commands:
  - [npm, ci, --offline, --no-audit, --no-fund]
  - mkdir -p build/lib && echo made > build/lib/made
lockfiles: [package.json, package-lock.json]
produces: [node_modules, build/lib]
registries: [npm]
`;

const TEST_FILE = `const test = require('node:test');
const assert = require('node:assert');
const greet = require('greet');
test('greets', () => assert.equal(greet('you'), 'hello you'));
`;

/** Packs the dependency and writes the project around it. */
export function makeNpmProject(): NpmProject {
  const registry = mkdtempSync(join(tmpdir(), 'npm-registry-'));
  const source = join(registry, 'source');
  mkdirSync(source);
  writeFileSync(
    join(source, 'package.json'),
    JSON.stringify({ name: 'greet', version: '1.0.0', license: 'MIT', main: 'index.js' }),
  );
  writeFileSync(join(source, 'index.js'), 'module.exports = (name) => `hello ${name}`;\n');
  execFileSync('npm', ['pack', '--silent', '--offline', '--pack-destination', registry], {
    cwd: source,
    env: { PATH: process.env['PATH'], HOME: source, npm_config_update_notifier: 'false' },
  });
  const tarball = readFileSync(join(registry, 'greet-1.0.0.tgz'));
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const resolved = 'file:../registry/npm/greet-1.0.0.tgz';
  const project = { name: 'project', version: '1.0.0' };
  const dependencies = { greet: resolved };
  return {
    registry,
    files: {
      'package.json': JSON.stringify({
        ...project,
        private: true,
        scripts: { test: 'node --test' },
        dependencies,
      }),
      'package-lock.json': JSON.stringify({
        ...project,
        lockfileVersion: 3,
        requires: true,
        packages: {
          '': { ...project, dependencies },
          'node_modules/greet': { version: '1.0.0', resolved, integrity },
        },
      }),
      'greet.test.js': TEST_FILE,
      '.gitignore': 'node_modules/\n',
      '.sallyport/environment.yaml': ENVIRONMENT_YAML,
    },
  };
}
