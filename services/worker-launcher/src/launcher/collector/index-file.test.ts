import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { git, makeRepository, makeStateRoot } from './collector-fixture.ts';
// @ts-expect-error collectors run plain JavaScript, which has no types
import { readIndex } from './inside/index-file.mjs';

const state = makeStateRoot();
afterAll(state.remove);

interface Index {
  get(path: string): { mode: number; oid(): string } | undefined;
  has(path: string): boolean;
  hasDirectory(path: string): boolean;
  children(directory: string): string[];
  named(name: string): string[];
  toMap(): Map<string, unknown>;
}

const FILES = {
  a: '1',
  'a-b/c': '2',
  'a.b': '3',
  a0: '4',
  'b/a/x': '5',
  'b/a/y': '6',
  'b/a-': '7',
  'b/a0': '8',
  'b/.gitignore': '9',
  '.gitignore': '10',
  'x.gitignore': '11',
  gitignore: '12',
  [`long/${'n'.repeat(200)}/${'m'.repeat(200)}`]: '13',
};

test('paths are found where git put them, and so are the names in each directory', () => {
  const repository = makeRepository(state.root, FILES);
  const index = readIndex(join(repository.directory, '.git/index')) as Index;
  expect([...index.toMap().keys()].toSorted()).toEqual(Object.keys(FILES).toSorted());
  for (const path of Object.keys(FILES)) {
    expect(index.get(path)?.oid()).toBe(git(repository.directory, ['rev-parse', `HEAD:${path}`]));
  }
  for (const path of ['', 'b', 'b/a', 'A', 'a/', 'zz', 'b/a/']) expect(index.has(path)).toBe(false);
  expect(['a-b', 'b', 'b/a', 'long'].every((path) => index.hasDirectory(path))).toBe(true);
  expect(['a', 'b/a/x', 'c', 'b/'].some((path) => index.hasDirectory(path))).toBe(false);
  expect(index.children('').toSorted()).toEqual(
    ['.gitignore', 'a', 'a-b', 'a.b', 'a0', 'b', 'gitignore', 'long', 'x.gitignore'].toSorted(),
  );
  expect(index.children('b')).toEqual(['b/.gitignore', 'b/a-', 'b/a', 'b/a0']);
  expect(index.children('b/a')).toEqual(['b/a/x', 'b/a/y']);
  expect(index.children('none')).toEqual([]);
  expect(index.named('.gitignore')).toEqual(['.gitignore', 'b/.gitignore']);
});
