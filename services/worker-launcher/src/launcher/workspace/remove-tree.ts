/**
 * Deletes a directory in which an agent wrote: modes that forbid looking in, names of any bytes, paths deeper than the
 * system allows to be spelled. coreutils walks by descriptors and follows no link; nothing here spells a path below the top.
 */
import { spawn } from 'node:child_process';
import { AppError } from '@sallyport/shared/errors';

const CHMOD = '/usr/bin/chmod';
const RM = '/usr/bin/rm';

/**
 * Removes the directory and all in it; a directory that is not there is none.
 * @throws AppError `internal` with the last words of rm when something is left.
 */
export async function removeTree(path: string): Promise<void> {
  const plain = await run(RM, ['-rf', '--one-file-system', '--', path]);
  if (plain.code === 0) return;
  // Only an ordinary user needs this: directories without permissions, which only their owner can change.
  await run(CHMOD, ['-R', 'u+rwX', '--', path]);
  const again = await run(RM, ['-rf', '--one-file-system', '--', path]);
  if (again.code !== 0) {
    throw new AppError('internal', `removing a step directory: ${again.words}`, {
      detail: { path },
    });
  }
}

const KEPT_WORDS = 500;

function run(
  program: string,
  args: readonly string[],
): Promise<{ code: number | null; words: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let words = '';
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      if (words.length < KEPT_WORDS) words = (words + piece).slice(0, KEPT_WORDS);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, words: words.trim() }));
  });
}
