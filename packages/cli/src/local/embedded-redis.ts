/**
 * A Redis server of our own on a unix socket, without TCP. Its settings are the ones that the queues rest on: nothing is
 * ever evicted, and with `kept` every second of jobs is on disk.
 */
import { createHash } from 'node:crypto';
import { chownSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { endProcess, spawnBound, waitUntilReady } from './bound-process.ts';
import { lastLines, type EmbeddedServer } from './embedded-postgres.ts';
import { accountFor, requireReach } from './os-account.ts';

const START_TIMEOUT_MS = 30_000;
const PROBE_TIMEOUT_MS = 1_000;

export interface EmbeddedRedisOptions {
  /** Where the append-only file lies; made on first use. */
  readonly dataDir: string;
  /** An existing directory with a short path, for the socket and the configuration. */
  readonly temporaryDir: string;
  /** The default user's password; with `aclFile` that file must set the same one. */
  readonly password: string;
  readonly durability: 'kept' | 'lost_on_crash';
  /** Users as in `ACL SAVE`, read at the start; without it there is the default user alone. */
  readonly aclFile?: string;
  /** Appended to; default `redis.log` in the temporary directory. */
  readonly logFile?: string;
  /** The program; default `redis-server` on the PATH. */
  readonly program?: string;
}

/**
 * Starts Redis (about 20 ms) and returns when it answers.
 * @throws Error with the end of its log when it does not start.
 */
export async function startEmbeddedRedis(options: EmbeddedRedisOptions): Promise<EmbeddedServer> {
  const account = accountFor(['redis', 'sallyport-redis']);
  const runDir = join(options.temporaryDir, 'redis');
  const socket = join(runDir, 'redis.sock');
  const configFile = join(runDir, 'redis.conf');
  const usersFile = join(runDir, 'users.acl');
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  mkdirSync(runDir, { recursive: true, mode: 0o711 });
  if (account) requireReach(account, dirname(options.dataDir));
  writeFileSync(configFile, configuration(options, socket, usersFile), { mode: 0o600 });
  // Copied, because the original lies among secrets that the server's account cannot reach.
  const users = options.aclFile === undefined ? '' : readFileSync(options.aclFile);
  writeFileSync(usersFile, users, { mode: 0o600 });
  const logFile = options.logFile ?? join(options.temporaryDir, 'redis.log');
  const log = openSync(logFile, 'a', 0o600);
  for (const path of [options.dataDir, runDir, configFile, usersFile]) {
    if (account) chownSync(path, account.uid, account.gid);
  }
  const child = spawnBound({
    argv: [options.program ?? 'redis-server', configFile],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
    cwd: '/',
    account,
    deathSignal: options.durability === 'kept' ? 'SIGTERM' : 'SIGKILL',
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = () => endProcess(child, [{ signal: 'SIGTERM', timeoutMs: 10_000 }]);
  try {
    await waitUntilReady(child, () => answers(socket), {
      name: 'Redis',
      timeoutMs: START_TIMEOUT_MS,
      describe: () => lastLines(logFile),
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const url = `redis://default:${encodeURIComponent(options.password)}@localhost/0?path=${encodeURIComponent(socket)}`;
  return { url, pid: child.pid ?? 0, ended, stop };
}

function configuration(options: EmbeddedRedisOptions, socket: string, usersFile: string): string {
  const digest = createHash('sha256').update(options.password).digest('hex');
  const lines = [
    'port 0',
    `unixsocket ${socket}`,
    // Who may connect is decided by passwords: the processes of a deployment run under different OS accounts.
    'unixsocketperm 777',
    `dir ${JSON.stringify(options.dataDir)}`,
    'daemonize no',
    'save ""',
    'maxmemory-policy noeviction',
    'enable-debug-command no',
    'enable-module-command no',
    `appendonly ${options.durability === 'kept' ? 'yes' : 'no'}`,
    'appendfsync everysec',
    options.aclFile === undefined
      ? `user default on #${digest} ~* &* +@all`
      : `aclfile ${JSON.stringify(usersFile)}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Whether the server answers: it has loaded its data and asks for a password. */
function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.setTimeout(PROBE_TIMEOUT_MS, () => settle(false));
    connection.once('error', () => settle(false));
    connection.once('connect', () => connection.write('PING\r\n'));
    connection.once('data', (reply) => settle(/^(\+PONG|-NOAUTH)/.test(reply.toString())));
    function settle(answered: boolean): void {
      connection.destroy();
      resolve(answered);
    }
  });
}
