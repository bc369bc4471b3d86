/**
 * A real PostgreSQL server of our own: no TCP, one unix socket, SCRAM passwords, and never a process left behind. It runs
 * the programs itself rather than through the package that brings them, because that one knows neither sockets, nor what
 * becomes of the server when its starter is killed.
 */
import { spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { endProcess, spawnBound, waitUntilReady } from './bound-process.ts';
import { accountFor, requireReach, type OsAccount } from './os-account.ts';
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts';

const SUPERUSER = 'sallyport_admin';
const DATABASE = 'postgres';
const START_TIMEOUT_MS = 60_000;
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

export interface EmbeddedPostgresOptions {
  /** Where the data lies; made on first use. Its parent must exist. */
  readonly dataDir: string;
  /** An existing directory with a short path; the socket and, if need be, a copy of the programs go there. */
  readonly temporaryDir: string;
  /** The superuser's password: set when the data is made, and the same one at every later start. */
  readonly password: string;
  /** `kept`: every commit is on disk. `lost_on_crash`: for tests, whose data nobody wants after a power cut. */
  readonly durability: 'kept' | 'lost_on_crash';
  /** Appended to; default `postgres.log` in the temporary directory. */
  readonly logFile?: string;
}

export interface EmbeddedServer {
  /** Connection URL with the superuser's (or default user's) credentials. */
  readonly url: string;
  readonly pid: number;
  /** Resolves when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Ends the server in order and returns when it is gone; doing it again is harmless. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL (about 0.9 s on first use, 0.05 s later) and returns when it accepts connections.
 * @throws AppError `unavailable` when there are no programs or the data cannot be reached; Error with the end of the
 *   server's log when it does not start.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedServer> {
  const account = accountFor(['postgres', 'sallyport-postgres']);
  const binaries = findPostgresBinaries(account, options.temporaryDir);
  const socketDir = join(options.temporaryDir, 'pg');
  mkdirSync(socketDir, { recursive: true, mode: 0o755 });
  giveTo(account, socketDir);
  if (account) requireReach(account, dirname(options.dataDir));
  if (!existsSync(join(options.dataDir, 'PG_VERSION'))) initialise(options, binaries, account);

  const logFile = options.logFile ?? join(options.temporaryDir, 'postgres.log');
  const log = openSync(logFile, 'a', 0o600);
  const child = spawnBound({
    argv: [binaries.postgres, '-D', options.dataDir, ...settings(options, socketDir)],
    env: ENVIRONMENT,
    cwd: '/',
    account,
    // An immediate shutdown: the postmaster takes its children and shared memory with it; the next start replays the log.
    deathSignal: 'SIGQUIT',
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = () =>
    endProcess(child, [
      { signal: 'SIGINT', timeoutMs: 20_000 },
      { signal: 'SIGQUIT', timeoutMs: 6_000 },
    ]);
  try {
    await waitUntilReady(child, () => isReady(options.dataDir, child.pid), {
      name: 'PostgreSQL',
      timeoutMs: START_TIMEOUT_MS,
      describe: () => lastLines(logFile),
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const url = `postgres://${SUPERUSER}:${encodeURIComponent(options.password)}@${encodeURIComponent(socketDir)}/${DATABASE}`;
  return { url, pid: child.pid ?? 0, ended, stop };
}

/** The last lines of a log file, for an error message. */
export function lastLines(file: string, count = 15): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
  } catch {
    return '';
  }
}

function settings(options: EmbeddedPostgresOptions, socketDir: string): string[] {
  const values: Record<string, string> = {
    listen_addresses: '',
    unix_socket_directories: socketDir,
    max_connections: '200',
    // Shared memory as files beside the data: after a SIGKILL nothing of ours stays in /dev/shm.
    dynamic_shared_memory_type: 'mmap',
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  if (options.durability === 'lost_on_crash') {
    Object.assign(values, { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' });
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function initialise(
  options: EmbeddedPostgresOptions,
  binaries: PostgresBinaries,
  account: OsAccount | undefined,
): void {
  // Made under another name and moved when complete: a start that is killed here does not leave half a cluster.
  const making = `${options.dataDir}.making`;
  const passwordFile = join(options.temporaryDir, 'pg-password');
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { mode: 0o700 });
  writeFileSync(passwordFile, options.password, { mode: 0o600 });
  giveTo(account, making);
  giveTo(account, passwordFile);
  const argv = [
    binaries.initdb,
    `--pgdata=${making}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
  ];
  argv.push('--auth=scram-sha-256', '--encoding=UTF8', '--locale=C');
  argv.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions');
  if (options.durability === 'lost_on_crash') argv.push('--no-sync');
  const identity = account
    ? [
        '--reuid',
        String(account.uid),
        '--regid',
        String(account.gid),
        '--clear-groups',
        '--pdeathsig',
        'KILL',
        '--',
      ]
    : ['--pdeathsig', 'KILL', '--'];
  try {
    const made = spawnSync('setpriv', [...identity, ...argv], {
      env: ENVIRONMENT,
      cwd: '/',
      encoding: 'utf8',
    });
    if (made.status !== 0)
      throw new Error(
        `making the PostgreSQL data in ${making}: ${made.stderr || made.error?.message}`,
      );
  } finally {
    rmSync(passwordFile, { force: true });
  }
  rmSync(options.dataDir, { recursive: true, force: true });
  renameSync(making, options.dataDir);
}

function isReady(dataDir: string, pid: number | undefined): boolean {
  try {
    // Line 1 is the postmaster's pid (an older file may still lie there), line 8 its state, padded with spaces.
    const lines = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

function giveTo(account: OsAccount | undefined, path: string): void {
  if (account) chownSync(path, account.uid, account.gid);
}
