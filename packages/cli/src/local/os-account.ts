/**
 * The OS account that a server runs under when we are root. PostgreSQL refuses to run as root, and Redis has no need to;
 * an account that the machine already has for the purpose is reused, otherwise a system account without a login is made.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { AppError } from '@sallyport/shared/errors';

export interface OsAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Whether this process is root, and so must and can choose an account for what it starts. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The account of this name from the machine's own list, or undefined. */
export function findAccount(name: string): OsAccount | undefined {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [found, , uid, gid] = line.split(':');
    if (found === name && uid !== undefined && gid !== undefined) {
      return { name, uid: Number(uid), gid: Number(gid) };
    }
  }
  return undefined;
}

/**
 * The first of `names` that exists, or a new system account called by the last of them. Undefined when not root: then
 * everything runs as the caller.
 * @throws AppError `unavailable` when no account can be made.
 */
export function accountFor(names: readonly [string, ...string[]]): OsAccount | undefined {
  if (!isRoot()) return undefined;
  const existing = firstExisting(names);
  if (existing) return existing;
  const name = names.at(-1) ?? names[0];
  const made = spawnSync(
    'useradd',
    [
      '--system',
      '--user-group',
      '--no-create-home',
      '--home-dir',
      '/nonexistent',
      '--shell',
      '/usr/sbin/nologin',
      name,
    ],
    { encoding: 'utf8' },
  );
  // Two starts at once: the loser's useradd fails, and the account is there all the same.
  const account = firstExisting(names);
  if (account) return account;
  throw new AppError(
    'unavailable',
    `making the OS account ${name} failed (${(made.stderr || made.error?.message) ?? 'unknown'}): make it, or start as a user other than root`,
  );
}

/** Whether the account can execute (or enter) the path: a checkout below /root is closed to everybody else. */
export function accountCanReach(account: OsAccount, path: string): boolean {
  if (account.uid === process.getuid?.()) return canExecute(path);
  const result = spawnSync(
    'setpriv',
    [
      '--reuid',
      String(account.uid),
      '--regid',
      String(account.gid),
      '--clear-groups',
      '--',
      'test',
      '-x',
      path,
    ],
    { stdio: 'ignore', cwd: '/' },
  );
  return result.status === 0;
}

/**
 * Insists that the account can enter the directory.
 * @throws AppError `unavailable` with the mend.
 */
export function requireReach(account: OsAccount, directory: string): void {
  if (accountCanReach(account, directory)) return;
  throw new AppError(
    'unavailable',
    `the OS account ${account.name} cannot reach ${directory}: set SALLYPORT_STATE_DIR to a directory that it can enter (such as /var/lib/sallyport)`,
  );
}

function canExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function firstExisting(names: readonly string[]): OsAccount | undefined {
  for (const name of names) {
    const account = findAccount(name);
    if (account) return account;
  }
  return undefined;
}
