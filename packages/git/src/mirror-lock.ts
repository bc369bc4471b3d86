/**
 * One holder at a time for a mirror, across processes, without stale locks: a child holds the kernel's lock on a file and
 * ends with its parent, whose death closes the pipe.
 */
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { AppError } from '@sallyport/shared/errors';
import { FLOCK, SHELL_PATH } from './programs.ts';

const LOCK_FILE = 'sallyport.lock';

/**
 * Runs `act` while holding the lock of a directory that exists.
 * @throws AppError `transient` when another holds it for longer than `waitMs`; whatever `act` throws.
 */
export async function withDirectoryLock<T>(
  dir: string,
  waitMs: number,
  act: () => Promise<T>,
): Promise<T> {
  const release = await holdDirectory(dir, waitMs);
  try {
    return await act();
  } finally {
    await release();
  }
}

/**
 * Takes the lock of a directory that exists, until the returned function is called or this process ends.
 * @throws AppError `transient` when another holds it for longer than `waitMs`.
 */
export function holdDirectory(dir: string, waitMs: number): Promise<() => Promise<void>> {
  const file = join(dir, LOCK_FILE);
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1_000)));
  // `cat` answers what it is sent: its echo says that the lock is held, the end of its input releases it.
  const child = spawn(FLOCK, ['--exclusive', '--wait', seconds, '--no-fork', file, '/bin/cat'], {
    env: { PATH: SHELL_PATH },
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      reject(new AppError('unavailable', 'starting flock', { cause: error }));
    });
    child.once('close', () => reject(new AppError('transient', 'the mirror is in use')));
    child.stdin.on('error', () => undefined);
    child.stdout.once('data', () => {
      resolve(async () => {
        child.stdin.end();
        await ended;
      });
    });
    child.stdin.write('held\n');
  });
}
