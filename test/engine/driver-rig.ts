/** An engine with a sandbox image, its guard as the process that it is in production, and a driver that speaks to it. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newId } from '@sallyport/shared/ids';
import {
  createDockerDriver,
  type DockerDriver,
} from '../../services/worker-launcher/src/launcher/sandbox/docker-driver.ts';
import {
  createEngine,
  type Engine,
} from '../../services/worker-launcher/src/launcher/sandbox/docker-engine.ts';
import type { SuitePlace } from '../../services/worker-launcher/src/launcher/sandbox/driver-suite.ts';
import { createGuardClient } from '../../services/worker-launcher/src/launcher/workspace/guard-client.ts';
import { renewGuardLease } from '../../services/worker-launcher/src/launcher/workspace/guard-lease.ts';
import {
  createGuardWorkspace,
  type GuardWorkspace,
} from '../../services/worker-launcher/src/launcher/workspace/guard-workspace.ts';
import { importSandboxImage } from './driver-image.ts';

const MAIN = fileURLToPath(
  new URL('../../services/worker-launcher/src/engine-guard/main.ts', import.meta.url),
);
const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
const START_MS = 20_000;

export interface GuardProcess {
  lines: string[];
  kill(): Promise<void>;
}

export interface DriverRig {
  image: string;
  guardSocket: string;
  /** Where the guard has its directories. */
  guardRoot: string;
  /** What paths in specifications are below; nothing lies there. */
  stateDir: string;
  engine: Engine;
  workspace: GuardWorkspace;
  instance: string;
  driver: DockerDriver;
  /** A driver of another launcher on the same guard. */
  driverOf(instance: string): DockerDriver;
  renew(instance: string): Promise<void>;
  /** An empty directory of a step of its own. */
  place(): Promise<SuitePlace>;
  startGuard(): Promise<void>;
  killGuard(): Promise<void>;
  close(): Promise<void>;
}

export async function createDriverRig(
  engineSocket: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<DriverRig> {
  // Short, because it holds a socket.
  const directory = mkdtempSync(join(tmpdir(), 'sp-driver-'));
  const guardRoot = join(directory, 'root');
  const stateDir = join(directory, 'state');
  const guardSocket = join(directory, 'guard.sock');
  mkdirSync(guardRoot);
  const image = await importSandboxImage({ DOCKER_HOST: `unix://${engineSocket}` });
  const env = {
    PATH: '/usr/bin:/bin',
    ENGINE_SOCKET: engineSocket,
    GUARD_SOCKET: guardSocket,
    GUARD_ROOT: guardRoot,
    DEPLOYMENT_ID: `t${randomBytes(6).toString('hex')}`,
    IMAGES: image,
    ...settings,
  };
  const client = createGuardClient(guardSocket);
  const engine = createEngine(guardSocket);
  const workspace = createGuardWorkspace(client, stateDir);
  const instance = newId();
  let guard: GuardProcess | undefined;
  let beat: NodeJS.Timeout | undefined;

  function driverOf(name: string): DockerDriver {
    const { usageOf } = workspace;
    return createDockerDriver({ engine, instance: name, image, stateDir, usageOf });
  }

  async function startGuard(): Promise<void> {
    guard = await launchGuard(env);
    await renewGuardLease(client, instance);
    beat = setInterval(() => void renewGuardLease(client, instance).catch(() => undefined), 5_000);
  }

  async function killGuard(): Promise<void> {
    clearInterval(beat);
    await guard?.kill();
  }

  await startGuard();
  return {
    image,
    guardSocket,
    guardRoot,
    stateDir,
    engine,
    workspace,
    instance,
    driver: driverOf(instance),
    driverOf,
    renew: (name) => renewGuardLease(client, name),
    async place() {
      const source = join(stateDir, `runs/r-${newId()}/steps/s/out`);
      await workspace.makeDirectory(source);
      const host = join(guardRoot, relative(stateDir, source));
      return {
        source,
        read: (name) => readFileSync(join(host, name), 'utf8'),
        write(name, content) {
          writeFileSync(join(host, name), content);
          chmodSync(join(host, name), 0o666);
        },
      };
    },
    startGuard,
    killGuard,
    async close() {
      for (const { id } of await engine.list()) await engine.container(id).remove();
      await killGuard();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function launchGuard(env: Record<string, string>): Promise<GuardProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN], {
    cwd: CHECKOUT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => lines.push(...piece.toString().split('\n')));
  }
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const deadline = Date.now() + START_MS;
  while (!lines.some((line) => line.includes('"msg":"ready"'))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`the guard does not start:\n${lines.join('\n')}`);
    }
    await sleep(50);
  }
  return {
    lines,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
