/**
 * Sandboxes from a container engine that the launcher itself cannot reach: its guard builds the wall and knows the images.
 * A container outlives whoever started it, so each bears its launcher's lease, and its name makes sure that no sandbox is
 * started twice.
 */
import { AppError, type ErrorCode } from '@sallyport/shared/errors';
import { guardCreate, type DockerPlace, type GuardCreate } from './docker-body.ts';
import { runContainer, type ContainerRun } from './docker-container.ts';
import type { Engine, EngineContainer } from './docker-engine.ts';
import { endLeftOfRun, endUnknown } from './docker-leftovers.ts';
import type { UsageOf } from './docker-watch.ts';
import type { SandboxDriver, SandboxEnd, SandboxExit, StartFailure } from './driver.ts';
import { exitWithout } from './supervision.ts';

/** Where every sandbox image has its Node binary. */
export const IMAGE_NODE = '/usr/local/bin/node';

export interface DockerDriverOptions extends DockerPlace {
  engine: Engine;
  /** The lease under which containers are made: those of another are none of this launcher's. */
  instance: string;
  usageOf: UsageOf;
}

export interface DockerDriver extends SandboxDriver {
  /** Ends containers of this launcher's that it does not know of; how many there were. To be called now and then. */
  endUnknown(): Promise<number>;
}

/** Creates the driver. */
export function createDockerDriver(options: DockerDriverOptions): DockerDriver {
  const { engine, instance, usageOf } = options;
  const known = new Set<string>();
  return {
    name: 'docker',
    node: IMAGE_NODE,
    async run(spec, hooks = {}) {
      const startedAt = performance.now();
      if (hooks.signal?.aborted === true) return exitWithout({ kind: 'stopped' }, startedAt);
      let container: EngineContainer;
      let body: GuardCreate;
      known.add(spec.id);
      try {
        body = guardCreate({ ...spec, labels: { ...spec.labels, lease: instance } }, options);
        container = await engine.create(spec.id, body);
      } catch (error) {
        known.delete(spec.id);
        return exitWithout(startFailure(error), startedAt);
      }
      try {
        return await runCreated({ container, body, spec, hooks, startedAt, usageOf });
      } finally {
        // Forgotten also when that fails: then it is found by `endUnknown`.
        await container.remove().finally(() => known.delete(spec.id));
      }
    },
    endLeft: (runId) => endLeftOfRun(engine, runId, instance, known),
    endUnknown: () => endUnknown(engine, instance, known),
  };
}

async function runCreated(run: ContainerRun): Promise<SandboxExit> {
  const { container, body, hooks, startedAt } = run;
  let started = false;
  const streams: { destroy(): void }[] = [];
  try {
    const output = await container.attachOutput();
    streams.push(output);
    const input = body.OpenStdin ? await container.attachInput() : undefined;
    if (input !== undefined) streams.push(input);
    // The program may end without reading; what became of its input is told by its exit.
    input?.on('error', () => undefined);
    if (hooks.signal?.aborted === true) return exitWithout({ kind: 'stopped' }, startedAt);
    return await runContainer(run, { output, input }, () => (started = true));
  } catch (error) {
    if (started) throw error;
    // What it is made of was found when it was made: what is not found now is in the image.
    const end = startFailure(error, { not_found: 'setup_failed' });
    return exitWithout(end, startedAt);
  } finally {
    for (const stream of streams) stream.destroy();
  }
}

/** What kept a container from being made or started, as the end of its sandbox. */
function startFailure(error: unknown, reasons: Reasons = {}): SandboxEnd {
  if (!(error instanceof AppError)) throw error;
  const reason = reasons[error.code] ?? REASONS[error.code] ?? 'setup_failed';
  return { kind: 'start_failed', reason, detail: error.message };
}

type Reasons = Partial<Record<ErrorCode, StartFailure>>;
const REASONS: Reasons = {
  unavailable: 'driver_missing',
  bad_input: 'bad_spec',
  forbidden: 'bad_spec',
  not_found: 'mount_missing',
  conflict: 'already_started',
};
