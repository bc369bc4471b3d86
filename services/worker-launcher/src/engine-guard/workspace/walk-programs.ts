/**
 * Removes and measures what a sandbox wrote: names of any bytes, paths deeper than can be spelled, links that change while
 * one looks. coreutils walks by descriptors and follows none; it is started in the directory, so that no path is spelled.
 */
import { spawn } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '@sallyport/shared/errors';
import { entryOf } from './open-beneath.ts';

const RM = '/usr/bin/rm';
const DU = '/usr/bin/du';
const KEPT_BYTES = 2_000;

/** Removes an entry of the open directory with all in it; nothing there is fine. @throws AppError `internal` when something is left. */
export async function removeEntry(directory: FileHandle, name: string): Promise<void> {
  const { code, words } = await run(RM, ['-rf', '--one-file-system', '--', `./${name}`], directory);
  if (code !== 0) throw new AppError('internal', `removing ${name}: ${words}`);
}

/** How many bytes of disk the open directory and all in it take, as far as it can be seen while it changes. */
export async function measureDirectory(directory: FileHandle): Promise<number> {
  const { said, words } = await run(DU, ['-sx', '--block-size=1', '--', '.'], directory);
  const bytes = /^([0-9]+)\t/.exec(said)?.[1];
  if (bytes === undefined) throw new AppError('internal', `measuring a directory: ${words}`);
  return Number(bytes);
}

function run(
  program: string,
  args: readonly string[],
  directory: FileHandle,
): Promise<{ code: number | null; said: string; words: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      // The child goes there before it gives up the descriptors that it has of its parent.
      cwd: entryOf(directory, '.'),
      env: { LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    let words = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      said = (said + piece).slice(0, KEPT_BYTES);
    });
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      words = (words + piece).slice(0, KEPT_BYTES);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, said, words: words.trim() }));
  });
}
