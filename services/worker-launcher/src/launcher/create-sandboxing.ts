/**
 * Settles at start how this launcher's sandboxes are made, by trying: what is missing is named with its mend before
 * anything is claimed, and not found out by the first task.
 */
import { join } from 'node:path';
import type { ConfigOf } from '@sallyport/shared/config';
import { AppError } from '@sallyport/shared/errors';
import type { ServiceContext } from '@sallyport/shared/service';
import { chooseStepMount } from './choose-step-mount.ts';
import type { CONFIG } from './config.ts';
import type { StepMount } from './run/work.ts';
import { createBubblewrapDriver } from './sandbox/bubblewrap-driver.ts';
import { detectOverlay } from './sandbox/detect-overlay.ts';
import { createDockerDriver } from './sandbox/docker-driver.ts';
import { createEngine, type Engine } from './sandbox/docker-engine.ts';
import { endOfInstance } from './sandbox/docker-leftovers.ts';
import type { SandboxDriver } from './sandbox/driver.ts';
import { readFormerInstances } from './sandbox/former-instances.ts';
import { probeEngine } from './sandbox/probe-engine.ts';
import { createGuardClient } from './workspace/guard-client.ts';
import { RENEW_LEASE_MS, renewGuardLease } from './workspace/guard-lease.ts';
import { createGuardWorkspace } from './workspace/guard-workspace.ts';
import { createLocalWorkspace } from './workspace/local-workspace.ts';
import type { Workspace } from './workspace/workspace.ts';

const SWEEP_MS = 60_000;

export type LauncherContext = ServiceContext<
  ConfigOf<(typeof CONFIG)['values'], (typeof CONFIG)['secrets']>
>;

export interface Sandboxing {
  driver: SandboxDriver;
  workspace: Workspace;
  stepMount: StepMount;
}

/**
 * Makes the driver that the configuration names, with its workspace, and begins what keeps it alive.
 * @throws AppError `bad_config` that names the setting, `unavailable` when guard or engine do not answer.
 */
export function createSandboxing(context: LauncherContext): Promise<Sandboxing> {
  return context.config.SANDBOX_DRIVER === 'docker'
    ? createFromEngine(context)
    : createFromNamespaces(context);
}

async function createFromNamespaces({ config, log }: LauncherContext): Promise<Sandboxing> {
  const driver = createBubblewrapDriver();
  log.info(driver.limitsEnforcedBy, 'what bounds the sandboxes');
  const detect = (): ReturnType<typeof detectOverlay> =>
    detectOverlay(driver, join(config.STATE_DIR, 'probes'));
  const stepMount = await chooseStepMount(config.STEP_MOUNT, detect, log);
  return { driver, workspace: createLocalWorkspace(), stepMount };
}

async function createFromEngine(context: LauncherContext): Promise<Sandboxing> {
  const { config, instance, log } = context;
  const stateDir = config.STATE_DIR;
  const socket = needed('GUARD_SOCKET', config.GUARD_SOCKET, 'the socket that engine-guard makes');
  const image = needed(
    'SANDBOX_IMAGE',
    config.SANDBOX_IMAGE,
    'an id out of IMAGES of engine-guard',
  );
  const guard = createGuardClient(socket);
  const engine = createEngine(socket);
  const workspace = createGuardWorkspace(guard, stateDir);
  const { usageOf } = workspace;
  const driver = createDockerDriver({ engine, instance, image, stateDir, usageOf });
  await renewGuardLease(guard, instance);
  context.every('guard_lease', RENEW_LEASE_MS, () => renewGuardLease(guard, instance));
  await endFormer(engine, context);
  const report = await probeEngine({ driver, workspace, stateDir });
  const stepMount = await chooseStepMount(config.STEP_MOUNT, () => Promise.resolve(report), log);
  context.every('container_sweep', SWEEP_MS, async () => {
    const ended = await driver.endUnknown();
    if (ended > 0) log.warn({ ended }, 'containers that nobody knew of were removed');
  });
  return { driver, workspace, stepMount };
}

async function endFormer(
  engine: Engine,
  { config, instance, log }: LauncherContext,
): Promise<void> {
  const former = readFormerInstances(config.STATE_DIR, instance);
  for (const dead of former.dead) {
    const ended = await endOfInstance(engine, dead);
    if (ended > 0) log.warn({ ended, former: dead }, 'containers of a former launcher were ended');
    former.forget(dead);
  }
}

function needed(name: string, value: string | undefined, what: string): string {
  if (value !== undefined) return value;
  throw new AppError(
    'bad_config',
    `${name}: is not set, and SANDBOX_DRIVER=docker needs it; set it to ${what}`,
  );
}
