/** An engine with a sandbox image, its guard as the process that it is in production, and a driver that speaks to it. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
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
import { startTestGuard } from '../support/engine/start-guard.ts';
import { importSandboxImage } from './driver-image.ts';

/** Nothing lies there: what is spoken of is what comes behind it. */
const STATE_DIR = '/nonexistent/state';
const RENEW_MS = 2_000;

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
  /** Kills the guard and starts another in its place. */
  replaceGuard(): Promise<void>;
  close(): Promise<void>;
}

export async function createDriverRig(
  engineSocket: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<DriverRig> {
  const image = await importSandboxImage({ DOCKER_HOST: `unix://${engineSocket}` });
  const guard = await startTestGuard({ engineSocket, image, env: settings });
  const stateDir = STATE_DIR;
  const client = createGuardClient(guard.socket);
  const engine = createEngine(guard.socket);
  const workspace = createGuardWorkspace(client, stateDir);
  const instance = newId();
  const beat = setInterval(() => {
    void renewGuardLease(client, instance).catch(() => undefined);
  }, RENEW_MS);
  await renewGuardLease(client, instance);

  function driverOf(name: string): DockerDriver {
    const { usageOf } = workspace;
    return createDockerDriver({ engine, instance: name, image, stateDir, usageOf });
  }

  return {
    image,
    guardSocket: guard.socket,
    guardRoot: guard.root,
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
      const host = join(guard.root, relative(stateDir, source));
      return {
        source,
        read: (name) => readFileSync(join(host, name), 'utf8'),
        write(name, content) {
          writeFileSync(join(host, name), content);
          chmodSync(join(host, name), 0o666);
        },
      };
    },
    replaceGuard: () => guard.restart('SIGKILL'),
    close() {
      clearInterval(beat);
      return guard.close();
    },
  };
}
