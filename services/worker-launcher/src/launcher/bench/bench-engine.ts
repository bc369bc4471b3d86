/**
 * A docker driver for the benchmark, with all that stands before it in a deployment: the engine's guard as a process of
 * its own, its lease, its directories. Needs root, as the guard does.
 */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newId } from '@sallyport/shared/ids';
import { createDockerDriver } from '../sandbox/docker-driver.ts';
import { createEngine } from '../sandbox/docker-engine.ts';
import type { SandboxDriver } from '../sandbox/driver.ts';
import { createGuardClient } from '../workspace/guard-client.ts';
import { RENEW_LEASE_MS, renewGuardLease } from '../workspace/guard-lease.ts';
import { createGuardWorkspace } from '../workspace/guard-workspace.ts';

const GUARD = fileURLToPath(new URL('../../engine-guard/main.ts', import.meta.url));
const START_MS = 30_000;

/** What is mounted into a sandbox that does nothing. */
export interface BenchPlaces {
  in: string;
  out: string;
}

export interface BenchEngine {
  driver: SandboxDriver;
  /** Directories of one step, as the launcher names them. */
  places: BenchPlaces;
  /** Where on the host such a directory lies. */
  directoryOf(source: string): string;
  close(): Promise<void>;
}

/**
 * Starts a guard before the engine that listens on the socket `engine`.
 * @throws Error with the guard's words when it does not start.
 */
export async function startBenchEngine(options: {
  engine: string;
  image: string;
  directory: string;
}): Promise<BenchEngine> {
  const { image, directory } = options;
  const root = join(directory, 'root');
  const stateDir = join(directory, 'state');
  const socket = join(directory, 'guard.sock');
  mkdirSync(root, { recursive: true });
  const child = spawn(process.execPath, ['--import', 'tsx', GUARD], {
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ENGINE_SOCKET: options.engine,
      GUARD_SOCKET: socket,
      GUARD_ROOT: root,
      DEPLOYMENT_ID: `bench${newId().slice(-8)}`,
      IMAGES: image,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let words = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => (words += piece.toString()));
  }
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const deadline = Date.now() + START_MS;
  while (!words.includes('"msg":"ready"')) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`the engine's guard does not start:\n${words}`);
    }
    await sleep(50);
  }
  const guard = createGuardClient(socket);
  const workspace = createGuardWorkspace(guard, stateDir);
  const instance = newId();
  await renewGuardLease(guard, instance);
  const beat = setInterval(() => {
    renewGuardLease(guard, instance).catch(() => undefined);
  }, RENEW_LEASE_MS);
  const step = join(stateDir, 'runs/bench/steps/step');
  const places = { in: join(step, 'in'), out: join(step, 'out') };
  for (const place of Object.values(places)) await workspace.makeDirectory(place);
  return {
    driver: createDockerDriver({
      engine: createEngine(socket),
      instance,
      image,
      stateDir,
      usageOf: (name) => workspace.usageOf(name),
    }),
    places,
    directoryOf: (source) => join(root, relative(stateDir, source)),
    async close() {
      clearInterval(beat);
      child.kill('SIGTERM');
      await ended;
    },
  };
}
