/** Tries to open paths as another OS user, in a real process of that user: what the kernel says, not what modes suggest. */
import { spawnSync } from 'node:child_process';

/** `opened`, or the code of the refusal. */
export type Look = 'opened' | (string & {});

// Directories are listed, files are read at their first byte, and what ends in "+" is made and removed again.
const PROBE = `
const fs = require('node:fs');
const out = {};
for (const path of JSON.parse(fs.readFileSync(0, 'utf8'))) {
  try {
    if (path.endsWith('+')) { fs.closeSync(fs.openSync(path, 'wx')); fs.unlinkSync(path); }
    else if (fs.lstatSync(path).isDirectory()) fs.readdirSync(path);
    else fs.closeSync(fs.openSync(path, 'r'));
    out[path] = 'opened';
  } catch (error) { out[path] = error.code; }
}
process.stdout.write(JSON.stringify(out));`;

/** What the user with this number gets at. Needs root. */
export function lookAs(uid: number, paths: readonly string[]): Readonly<Record<string, Look>> {
  const user = String(uid);
  const result = spawnSync(
    'setpriv',
    ['--reuid', user, '--regid', user, '--clear-groups', process.execPath, '-e', PROBE],
    { input: JSON.stringify(paths), encoding: 'utf8', cwd: '/', env: {} },
  );
  if (result.status !== 0) throw new Error(`looking as ${uid}: ${result.stderr}`);
  return JSON.parse(result.stdout) as Record<string, Look>;
}

/** @throws Error when this is not root: without it the walls that a test is about do not stand, and it must not pass. */
export function requireRoot(): void {
  if (process.getuid?.() !== 0) {
    throw new Error('this test is about processes of different OS users: run it as root');
  }
}
