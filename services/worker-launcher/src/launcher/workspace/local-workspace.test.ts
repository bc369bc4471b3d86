import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLocalWorkspace } from './local-workspace.ts';

const workspace = createLocalWorkspace();
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'workspace-test-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('files are written with the directories above them, and again in place of the first', async () => {
  const path = join(root, 'in/hand-offs/plan.json');
  await workspace.writeFile(path, 'one');
  await workspace.writeFile(path, Buffer.from('two'));
  expect(readFileSync(path, 'utf8')).toBe('two');
});

test('a directory can be made twice', async () => {
  await workspace.makeDirectory(join(root, 'a/b'));
  await workspace.makeDirectory(join(root, 'a/b'));
  expect(statSync(join(root, 'a/b')).isDirectory()).toBe(true);
});

test('a file is read up to its bound, and one byte more is too large', async () => {
  const path = join(root, 'file');
  writeFileSync(path, '12345');
  expect(await workspace.readFile(path, 5)).toEqual({ kind: 'read', bytes: Buffer.from('12345') });
  expect(await workspace.readFile(path, 4)).toEqual({ kind: 'too_large' });
});

test('what is no plain file is not read, and what is not there is missing', async () => {
  const real = join(root, 'real');
  writeFileSync(real, 'secret');
  symlinkSync(real, join(root, 'link'));
  execFileSync('/usr/bin/mkfifo', [join(root, 'pipe')]);
  for (const name of ['link', 'pipe', '.']) {
    expect(await workspace.readFile(join(root, name), 100)).toEqual({ kind: 'not_a_plain_file' });
  }
  expect(await workspace.readFile(join(root, 'none'), 100)).toEqual({ kind: 'missing' });
});

test('a layer whose root was closed can be looked at again', async () => {
  const layer = join(root, 'upper');
  mkdirSync(layer);
  chmodSync(layer, 0);
  await workspace.openLayer(layer);
  expect(statSync(layer).mode & 0o777).toBe(0o700);
});

test('files and directories are removed, and removing them again is no failure', async () => {
  mkdirSync(join(root, 'directory/below'), { recursive: true });
  writeFileSync(join(root, 'file'), '');
  for (const name of ['directory', 'file', 'directory', 'file']) {
    await workspace.remove(join(root, name));
    expect(existsSync(join(root, name))).toBe(false);
  }
});

test('the names in a directory are listed, none where there is no directory', async () => {
  mkdirSync(join(root, 'runs/one'), { recursive: true });
  writeFileSync(join(root, 'runs/two'), '');
  expect((await workspace.list(join(root, 'runs'))).toSorted()).toEqual(['one', 'two']);
  expect(await workspace.list(join(root, 'none'))).toEqual([]);
});
