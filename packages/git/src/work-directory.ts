/**
 * A directory in which one process keeps what it is working on. It is that process's alone, and the kernel sees to it; so
 * what lies there unfinished at the start was left by one that was killed, and goes.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import { BUILDING_PREFIX } from './base-store-cache.ts';
import { holdDirectory } from './mirror-lock.ts';
import { QUARANTINE_PREFIX } from './quarantine.ts';

/** Names of what is being made; what is finished has others and stays. */
const UNFINISHED = [QUARANTINE_PREFIX, BUILDING_PREFIX, 'source-'] as const;
const UNFINISHED_PROGRAM = /^[0-9a-f]{8}-[0-9a-f-]{27}\.mjs$/;
/** A predecessor that was killed this moment has its lock released by the kernel as soon as it is gone. */
const TAKE_WAIT_MS = 5_000;

/**
 * Takes the directory for this process, until the returned function is called or the process ends, and empties it of what
 * is unfinished.
 * @throws AppError `bad_config` when another process has it.
 */
export async function takeWorkDirectory(dir: string): Promise<() => Promise<void>> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const release = await holdDirectory(dir, TAKE_WAIT_MS).catch((cause: unknown) => {
    if (errorCodeOf(cause) !== 'transient') throw cause;
    throw new AppError(
      'bad_config',
      `STATE_DIR: ${dir} is in use by another process; give each process a directory of its own`,
      { cause },
    );
  });
  const names = await readdir(dir);
  await Promise.all(
    names.filter(isUnfinished).map((name) => rm(join(dir, name), { recursive: true, force: true })),
  );
  return release;
}

function isUnfinished(name: string): boolean {
  return UNFINISHED.some((prefix) => name.startsWith(prefix)) || UNFINISHED_PROGRAM.test(name);
}
