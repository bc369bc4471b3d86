import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownIdentity } from './process-identity.ts';
import { createTemporaryDirectory, sweepTemporaryDirectories } from './temporary.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync('/tmp/sp-test-temporary-');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function plant(name: string, owner: object | undefined): string {
  const path = join(root, name);
  mkdirSync(path);
  if (owner) writeFileSync(join(path, 'owner.json'), JSON.stringify(owner));
  return path;
}

/** The identity of a process that is certain to have ended. */
function endedOwner() {
  const { pid } = spawnSync('true');
  return { ...ownIdentity(), pid, startTime: '1' };
}

describe('createTemporaryDirectory', () => {
  it('makes a directory with room for a socket name, passable and not listable for others', () => {
    const directory = createTemporaryDirectory();
    expect(directory.path).toMatch(/^\/tmp\/sp-\w{6}$/);
    expect(statSync(directory.path).mode & 0o777).toBe(0o711);
    directory.remove();
    expect(existsSync(directory.path)).toBe(false);
    directory.remove();
  });
});

describe('sweepTemporaryDirectories', () => {
  it('removes what an ended owner left, and nothing of a living one', () => {
    const dead = plant('sp-aaaaaa', endedOwner());
    const alive = plant('sp-bbbbbb', ownIdentity());
    expect(sweepTemporaryDirectories(root)).toEqual([dead]);
    expect(existsSync(alive)).toBe(true);
  });

  it('takes a process that got the same pid later for another one', () => {
    const reused = plant('sp-cccccc', { ...ownIdentity(), startTime: '1' });
    expect(sweepTemporaryDirectories(root)).toEqual([reused]);
  });

  it('leaves a directory alone whose owner lives in another pid namespace', () => {
    plant('sp-dddddd', { ...endedOwner(), namespace: 'pid:[1]' });
    expect(sweepTemporaryDirectories(root)).toEqual([]);
  });

  it('gives a directory without owner a minute, in which it is being made', () => {
    const path = plant('sp-eeeeee', undefined);
    expect(sweepTemporaryDirectories(root)).toEqual([]);
    const old = Date.now() / 1000 - 61;
    utimesSync(path, old, old);
    expect(sweepTemporaryDirectories(root)).toEqual([path]);
  });

  it('leaves alone what only looks like one of ours', () => {
    plant('sp-longer-name', endedOwner());
    const unsigned = plant('sp-ffffff', undefined);
    writeFileSync(join(unsigned, 'file'), '');
    const old = Date.now() / 1000 - 61;
    utimesSync(unsigned, old, old);
    expect(sweepTemporaryDirectories(root)).toEqual([]);
  });
});
