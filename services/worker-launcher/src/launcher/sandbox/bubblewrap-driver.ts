/**
 * Sandboxes from unprivileged namespaces: no daemon, no image, some milliseconds to start, and nothing that outlives the
 * launcher, because the kernel ends the namespace when bubblewrap's parent dies. Works as root and as an ordinary user.
 */
import { accessSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { AppError } from '@sallyport/shared/errors';
import { newId } from '@sallyport/shared/ids';
import { bubblewrapOptions, limitedProgram } from './bubblewrap-arguments.ts';
import {
  startBubblewrap,
  type BubblewrapProcess,
  type BubblewrapStart,
} from './bubblewrap-process.ts';
import { findControlGroups, type ControlGroup, type ControlGroups } from './control-groups.ts';
import type {
  SandboxDriver,
  SandboxEnd,
  SandboxExit,
  SandboxHooks,
  SandboxMount,
  SandboxSpec,
} from './driver.ts';
import { createLaunchGuard } from './launch-guard.ts';
import { createLimitWatch, type LimitWatch } from './limit-watch.ts';
import { endOfCode } from './exit-code.ts';
import { makeViews, overlayPrelude } from './overlay-mounts.ts';
import { nodeInside, SCRATCH_PLACES } from './root-layout.ts';
import { exitWithout, superviseSandbox } from './supervision.ts';
import { systemCallFilter } from './system-call-filter.ts';

export const BUBBLEWRAP_PATH = '/usr/bin/bwrap';
// bubblewrap's own two processes are in the group as well.
const OWN_PROCESSES = 2;

export interface BubblewrapDriverOptions {
  binary?: string;
  /** Where the kernel bounds memory and processes; found out by default. */
  controlGroups?: ControlGroups;
  /** False only where the kernel refuses it (`detect.ts` says so). */
  forbidNestedUserNamespaces?: boolean;
}

/** What bounds a sandbox here: the kernel, or the look that is taken at /proc ten times a second. */
export interface LimitsEnforcedBy {
  memory: 'kernel' | 'sampler';
  processes: 'kernel' | 'sampler';
  /** Why it is not the kernel, in words. */
  problem: string | undefined;
}

export interface BubblewrapDriver extends SandboxDriver {
  readonly limitsEnforcedBy: LimitsEnforcedBy;
}

/** Creates the driver. One per process is enough: its sandboxes share one look at /proc. */
export function createBubblewrapDriver(options: BubblewrapDriverOptions = {}): BubblewrapDriver {
  const binary = options.binary ?? BUBBLEWRAP_PATH;
  const wall = { forbidNestedUserNamespaces: options.forbidNestedUserNamespaces ?? true };
  const limitWatch = createLimitWatch();
  const guard = createLaunchGuard();
  const groups = options.controlGroups ?? findControlGroups();
  const memoryIsSampled = !groups.controllers.includes('memory');
  const filter = systemCallFilter({ memoryIsSampled });
  return {
    name: 'bubblewrap',
    limitsEnforcedBy: {
      memory: memoryIsSampled ? 'sampler' : 'kernel',
      // The kernel's limit per user is none for root.
      processes:
        groups.controllers.includes('pids') || process.getuid?.() !== 0 ? 'kernel' : 'sampler',
      problem: groups.problem,
    },
    node: nodeInside(),
    // The kernel ended them together with their launcher.
    endLeft: () => Promise.resolve(0),
    async run(spec, hooks = {}) {
      const startedAt = performance.now();
      const refusal = refuseToStart(spec, hooks, binary);
      if (refusal !== undefined) return exitWithout(refusal, startedAt);
      let wallOptions: string[];
      let prelude: string[];
      try {
        wallOptions = bubblewrapOptions(spec, wall);
        prelude = overlayPrelude(spec.mounts);
        await makeViews(spec.mounts);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return exitWithout(
          { kind: 'start_failed', reason: 'bad_spec', detail: error.message },
          startedAt,
        );
      }
      let sandbox: BubblewrapProcess;
      try {
        sandbox = await startBubblewrap({
          binary,
          options: wallOptions,
          prelude,
          program: limitedProgram(spec),
          input: inputOf(spec),
          filter,
          group: planGroup(groups, spec),
          guard,
        });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const detail = error.message;
        return exitWithout({ kind: 'start_failed', reason: 'setup_failed', detail }, startedAt);
      }
      return runToEnd(sandbox, spec, hooks, limitWatch, startedAt);
    },
  };
}

function planGroup(groups: ControlGroups, { limits }: SandboxSpec): BubblewrapStart['group'] {
  const name = `sallyport-${newId()}`;
  return { directories: groups.directoriesOf(name), make: () => makeGroup(groups, name, limits) };
}

function makeGroup(
  groups: ControlGroups,
  name: string,
  { memoryBytes, processes }: SandboxSpec['limits'],
): ControlGroup {
  try {
    return groups.create(name, { memoryBytes, processes: processes + OWN_PROCESSES });
  } catch (error) {
    throw new AppError('unavailable', `no control group can be made any more: ${String(error)}`, {
      cause: error,
    });
  }
}

function refuseToStart(
  spec: SandboxSpec,
  hooks: SandboxHooks,
  binary: string,
): SandboxEnd | undefined {
  if (hooks.signal?.aborted === true) return { kind: 'stopped' };
  for (const [file, name] of [
    [binary, 'bubblewrap'],
    ['/bin/bash', 'bash'],
    ['/usr/bin/prlimit', 'util-linux'],
  ]) {
    if (file !== undefined && isThere(file)) continue;
    const detail = `${file} is not there; install the package ${name}`;
    return { kind: 'start_failed', reason: 'driver_missing', detail };
  }
  for (const mount of spec.mounts) {
    for (const source of sourcesOf(mount)) {
      if (isThere(source)) continue;
      const detail = `mount ${mount.role}: ${source} is not there or not readable by this user`;
      return { kind: 'start_failed', reason: 'mount_missing', detail };
    }
  }
  return undefined;
}

function sourcesOf(mount: SandboxMount): readonly string[] {
  if (mount.kind === 'tmpfs') return [];
  return mount.kind === 'bind' ? [mount.source] : mount.layers;
}

async function runToEnd(
  sandbox: BubblewrapProcess,
  spec: SandboxSpec,
  hooks: SandboxHooks,
  limitWatch: LimitWatch,
  startedAt: number,
): Promise<SandboxExit> {
  const supervision = superviseSandbox(spec, hooks, startedAt, sandbox);
  let unwatch = (): void => undefined;
  let settled = false;
  void sandbox.started.then((rootPid) => {
    if (rootPid === undefined || settled) return;
    unwatch = limitWatch.watch({
      rootPid,
      limits: spec.limits,
      scratch: scratchOf(spec),
      memoryKills: sandbox.memoryKills,
      onLimit: supervision.endNow,
      onUse: ({ memoryBytes, threads }) => supervision.observe({ memoryBytes, processes: threads }),
    });
  });

  async function drain(name: 'stdout' | 'stderr', stream: Readable): Promise<void> {
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        await supervision.take(name, chunk);
      }
    } catch (error) {
      supervision.failWith(error);
    }
  }
  const output = drain('stdout', sandbox.stdout);
  const errors = drain('stderr', sandbox.stderr);
  if (sandbox.stdin !== null) supervision.feed(sandbox.stdin);

  const code = await sandbox.ended;
  settled = true;
  supervision.settle();
  unwatch();
  await Promise.all([output, errors]);
  return supervision.finish(() => naturalEnd(code, sandbox, supervision.words()));
}

function scratchOf({ mounts }: SandboxSpec): string[] {
  return [...SCRATCH_PLACES, ...mounts.filter((m) => m.kind === 'tmpfs').map((m) => m.target)];
}

function inputOf({ stdin }: SandboxSpec): Uint8Array | 'stream' {
  if (stdin === undefined) return new Uint8Array();
  return stdin instanceof Uint8Array ? stdin : 'stream';
}

function naturalEnd(
  code: number | undefined,
  sandbox: BubblewrapProcess,
  words: string,
): SandboxEnd {
  if (sandbox.memoryKills() > 0) return { kind: 'memory_limit' };
  if (code === undefined) {
    const error = sandbox.spawnError();
    return { kind: 'start_failed', reason: 'setup_failed', detail: error?.message ?? words.trim() };
  }
  return endOfCode(code);
}

function isThere(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}
