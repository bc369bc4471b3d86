/**
 * A container engine for one test run: its own data, its own socket, no network, ended with the run. Where none can be
 * started the run fails with the reason: a wall that was not tried does not count as one.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, hasExited, spawnBound } from '@sallyport/cli/local/bound-process';
import { createTemporaryDirectory } from '@sallyport/cli/local/temporary';
import { install } from '../../compose/engine.ts';
import { machineEnvironment } from '../../compose/run-program.ts';
import { callEngine } from './call-engine.ts';

const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 60_000;

export interface TestEngine {
  /** The path of its unix socket. */
  readonly socket: string;
  stop(): Promise<void>;
}

/** Starts it. @throws Error with the engine's last words when there can be none. */
export async function startTestEngine(options: readonly string[] = []): Promise<TestEngine> {
  if (process.getuid?.() !== 0) throw new Error('only root can start an engine; run this as root');
  await install(['dockerd'], ['docker.io'], () => undefined);
  const temporary = createTemporaryDirectory();
  const socket = join(temporary.path, 'engine.sock');
  const logFile = join(temporary.path, 'dockerd.log');
  const dataDir = join(temporary.path, 'data');
  mkdirSync(dataDir);
  const log = openSync(logFile, 'a');
  const child = spawnBound({
    argv: [
      'dockerd',
      '--storage-driver=overlay2',
      `--data-root=${dataDir}`,
      `--exec-root=${join(temporary.path, 'exec')}`,
      `--pidfile=${join(temporary.path, 'dockerd.pid')}`,
      `--host=unix://${socket}`,
      // Several engines on one machine would fight for the bridge and its rules; sandboxes have no network.
      '--bridge=none',
      '--iptables=false',
      ...options,
    ],
    env: machineEnvironment(),
    cwd: '/',
    mayGainPrivileges: true,
    // In order: it stops its containers and unmounts what it mounted.
    deathSignal: 'SIGTERM',
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  async function stop(): Promise<void> {
    await endProcess(child, [{ signal: 'SIGTERM', timeoutMs: STOP_TIMEOUT_MS }]);
    // Made for a container with the host's network, and left by this engine.
    spawnSync('umount', [join(temporary.path, 'exec/netns/default')]);
    temporary.remove();
  }
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!hasExited(child) && Date.now() < deadline) {
    const answer = await callEngine(socket, 'GET', '/_ping').catch(() => undefined);
    if (answer?.status === 200) return { socket, stop };
    await sleep(200);
  }
  const said = readFileSync(logFile, 'utf8').split('\n').slice(-15).join('\n');
  await stop();
  throw new Error(`no engine can be started here:\n${said}`);
}
