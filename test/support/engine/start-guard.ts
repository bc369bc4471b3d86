/** The engine guard as the process that it is in production, with a deployment, a root and a socket of its own. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnBound } from '@sallyport/cli/local/bound-process';
import { createTemporaryDirectory } from '@sallyport/cli/local/temporary';
import { newId } from '@sallyport/shared/ids';
import { callEngine, type CallAnswer, type CallBody } from './call-engine.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MAIN = 'services/worker-launcher/src/engine-guard/main.ts';
const START_DEADLINE_MS = 30_000;

export interface GuardRun {
  /** Exit code, or the signal's name. */
  ended: Promise<number | string>;
  output(): string;
  signal(name: NodeJS.Signals): void;
}

export interface TestGuard {
  deployment: string;
  socket: string;
  /** Where its directories lie. */
  root: string;
  call(
    method: string,
    path: string,
    body?: CallBody,
    headers?: Readonly<Record<string, string>>,
  ): Promise<CallAnswer>;
  /** What the processes so far wrote. */
  output(): string;
  /** Ends the process and starts another in its place. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  /** Ends the process and removes all it made, in the engine as well. */
  close(): Promise<void>;
}

export interface GuardSettings {
  engineSocket: string;
  image: string;
  env?: Readonly<Record<string, string>>;
}

/** Starts the process and does not wait for anything. */
export function runGuard(env: Readonly<Record<string, string>>): GuardRun {
  const child = spawnBound({
    argv: [process.execPath, '--import', 'tsx', join(ROOT, MAIN)],
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...env },
    // A run of tests that is broken off leaves none.
    deathSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  return {
    ended: new Promise((resolve) => {
      child.once('close', (code, signal) => resolve(signal ?? code ?? 'unknown'));
    }),
    output: () => output,
    signal: (name) => void child.kill(name),
  };
}

/** Starts a guard. @throws Error with its output when it does not come up. */
export async function startTestGuard(settings: GuardSettings): Promise<TestGuard> {
  const { engineSocket, image } = settings;
  const temporary = createTemporaryDirectory();
  const deployment = `t${newId().replaceAll('-', '').slice(-12)}`;
  const socket = join(temporary.path, 'guard.sock');
  const root = join(temporary.path, 'root');
  mkdirSync(root, { mode: 0o711 });
  const env = {
    DEPLOYMENT_ID: deployment,
    ENGINE_SOCKET: engineSocket,
    GUARD_SOCKET: socket,
    GUARD_ROOT: root,
    IMAGES: image,
    ...settings.env,
  };
  let output = '';
  let run = await untilReady(runGuard(env));

  async function end(signal: NodeJS.Signals): Promise<void> {
    run.signal(signal);
    await run.ended;
    output += run.output();
  }
  return {
    deployment,
    socket,
    root,
    call: (method, path, body, headers) => callEngine(socket, method, path, body, headers),
    output: () => output + run.output(),
    async restart(signal = 'SIGTERM') {
      await end(signal);
      run = await untilReady(runGuard(env));
    },
    async close() {
      await end('SIGTERM');
      await removeAll(engineSocket, deployment);
      temporary.remove();
    },
  };
}

async function untilReady(run: GuardRun): Promise<GuardRun> {
  const deadline = Date.now() + START_DEADLINE_MS;
  let isOver = false;
  void run.ended.then(() => {
    isOver = true;
  });
  while (!run.output().includes('"msg":"ready"')) {
    if (isOver || Date.now() > deadline) {
      run.signal('SIGKILL');
      throw new Error(`the guard does not start:\n${run.output()}`);
    }
    await sleep(50);
  }
  return run;
}

async function removeAll(engineSocket: string, deployment: string): Promise<void> {
  const filters = encodeURIComponent(
    JSON.stringify({ label: [`sallyport.deployment=${deployment}`] }),
  );
  const list = async (path: string): Promise<CallAnswer> =>
    callEngine(engineSocket, 'GET', `${path}filters=${filters}`);
  const containers = (await list('/containers/json?all=1&')).json as { Id: string }[];
  for (const { Id } of containers)
    await callEngine(engineSocket, 'DELETE', `/containers/${Id}?force=1&v=1`);
  const volumes = (await list('/volumes?')).json as { Volumes: { Name: string }[] | null };
  for (const { Name } of volumes.Volumes ?? [])
    await callEngine(engineSocket, 'DELETE', `/volumes/${Name}`);
}
