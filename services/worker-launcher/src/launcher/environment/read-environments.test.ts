import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEnvironments } from './read-environments.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'environments-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function read(value: unknown): ReturnType<typeof readEnvironments> {
  const file = join(directory, 'environments.json');
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return readEnvironments(file);
}
const ENVIRONMENT = { v: 1, commands: ['make'], lockfiles: ['Makefile'], produces: ['out'] };

test('without a file repositories may bring their own and there is no registry', () => {
  const { fromRepositories, cache, registries, repositories } = readEnvironments(undefined);
  expect(fromRepositories).toBe(true);
  expect(cache).toEqual({ maxBytes: 20 * 1024 ** 3, maxAgeMs: 14 * 86_400_000 });
  expect([registries.size, repositories.size]).toEqual([0, 0]);
});

test('names of repositories are compared as GitHub does', () => {
  const { repositories, registries } = read({
    repositories: { 'Octo/Repo': ENVIRONMENT, 'octo/none': null },
    registries: { npm: { directory: '/srv/npm', repositories: ['Octo/Repo'] } },
  });
  expect(repositories.get('octo/repo')).toMatchObject({ commands: ['make'] });
  expect(repositories.get('octo/none')).toBeNull();
  expect(registries.get('npm')).toEqual({
    directory: '/srv/npm',
    repositories: new Set(['octo/repo']),
  });
});

describe('a mistake is told with its place:', () => {
  test.each([
    ['no JSON', '{', 'is no JSON'],
    ['an unknown key', { registry: {} }, 'Unrecognized key'],
    [
      'a relative directory',
      { registries: { npm: { directory: 'srv' } } },
      'registries.npm.directory',
    ],
    ['all of the host', { registries: { npm: { directory: '/' } } }, 'registries.npm.directory'],
    ['no digest', { images: { node: 'node:24' } }, 'images.node: give a digest'],
    ['half a name', { repositories: { repo: ENVIRONMENT } }, 'repositories.repo'],
    [
      'a way out of the tree',
      { repositories: { 'a/b': { ...ENVIRONMENT, produces: ['../x'] } } },
      'repositories.a/b.produces.0: the path leaves the tree',
    ],
    ['no room at all', { cache: { maxGibibytes: 0 } }, 'cache.maxGibibytes'],
  ])('%s', (_, value, place) => {
    expect(() => read(value)).toThrow(place);
  });
});
