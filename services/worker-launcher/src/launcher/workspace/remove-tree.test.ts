import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeTree } from './remove-tree.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'remove-test-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('directories without permissions are removed', async () => {
  const top = join(directory, 'closed');
  mkdirSync(join(top, 'a/b'), { recursive: true });
  writeFileSync(join(top, 'a/b/file'), 'x');
  chmodSync(join(top, 'a/b'), 0);
  chmodSync(join(top, 'a'), 0);
  await removeTree(top);
  expect(existsSync(top)).toBe(false);
});

test('links are removed, what they lead to stays as it is', async () => {
  const kept = join(directory, 'kept');
  mkdirSync(kept, { mode: 0o700 });
  writeFileSync(join(kept, 'file'), 'x', { mode: 0o400 });
  const top = join(directory, 'linked');
  mkdirSync(top);
  symlinkSync(kept, join(top, 'link'));
  symlinkSync(join(kept, 'file'), join(top, 'file'));
  await removeTree(top);
  expect(existsSync(top)).toBe(false);
  expect(
    execFileSync('/usr/bin/stat', ['-c', '%a', join(kept, 'file')])
      .toString()
      .trim(),
  ).toBe('400');
});

test('paths deeper than can be spelled are removed', async () => {
  const top = join(directory, 'deep');
  mkdirSync(top);
  const script =
    'i=0; while [ $i -lt 60 ]; do d=$(printf "%0200d" $i); mkdir $d && cd -P $d || exit 1; i=$((i+1)); done';
  execFileSync('/bin/bash', ['-c', script], { cwd: top });
  await removeTree(top);
  expect(existsSync(top)).toBe(false);
});

test('a directory that is not there is none to remove', async () => {
  await expect(removeTree(join(directory, 'never'))).resolves.toBeUndefined();
});
