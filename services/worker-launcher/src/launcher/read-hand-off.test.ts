import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HAND_OFF_NAME, readHandOff } from './read-hand-off.ts';
import { createLocalWorkspace } from './workspace/local-workspace.ts';

const GOOD = JSON.stringify({ v: 1, outcome: 'done', summary: '', findings: [], claims: {} });
const workspace = createLocalWorkspace();
let out: string;
let place: string;

beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'hand-off-'));
  place = join(out, HAND_OFF_NAME);
});
afterEach(() => rmSync(out, { recursive: true }));

describe('the hand-off of a step', () => {
  test('is read when it is a plain file', async () => {
    writeFileSync(place, GOOD);
    expect(await readHandOff(workspace, out)).toMatchObject({
      ok: true,
      handOff: { outcome: 'done' },
    });
  });

  test('that is not there is reported as missing', async () => {
    expect(await readHandOff(workspace, out)).toMatchObject({ ok: false, problem: 'missing' });
  });

  test.each<[string, () => void]>([
    ['a link', () => symlinkSync(write('elsewhere', GOOD), place)],
    ['a file with a second name', () => linkSync(write('elsewhere', GOOD), place)],
    ['a pipe', () => execFileSync('mkfifo', [place])],
    ['a directory', () => mkdirSync(place)],
  ])('that is %s is refused without waiting', async (_, make) => {
    make();
    expect(await readHandOff(workspace, out)).toMatchObject({
      ok: false,
      problem: 'not_a_plain_file',
    });
  });

  test('that is too large is refused and read no further, also when it is sparse', async () => {
    writeFileSync(place, GOOD);
    execFileSync('truncate', ['-s', '8G', place]);
    expect(await readHandOff(workspace, out)).toMatchObject({ ok: false, problem: 'too_large' });
  });
});

function write(name: string, content: string): string {
  const path = join(out, name);
  writeFileSync(path, content);
  return path;
}
