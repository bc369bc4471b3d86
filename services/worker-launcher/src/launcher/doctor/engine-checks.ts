/** What sandboxes from an engine need: its guard, the engine behind it, and one sandbox of the image. */
import { newId } from '@sallyport/shared/ids';
import { createDockerDriver } from '../sandbox/docker-driver.ts';
import { createEngine } from '../sandbox/docker-engine.ts';
import { probeEngine } from '../sandbox/probe-engine.ts';
import { createGuardClient, wordsOf, type GuardClient } from '../workspace/guard-client.ts';
import { renewGuardLease } from '../workspace/guard-lease.ts';
import { createGuardWorkspace } from '../workspace/guard-workspace.ts';
import { fail, pass, warn, type Check } from './check.ts';

export interface EngineCheckOptions {
  guardSocket: string;
  /** Without one no sandbox is tried. */
  image: string | undefined;
  /** By whose names directories are spoken of; nothing is made there. */
  stateDir: string;
}

/** Asks guard and engine, and makes a sandbox if an image is named; leaves nothing behind. */
export async function checkEngine(options: EngineCheckOptions): Promise<Check[]> {
  const { guardSocket, image, stateDir } = options;
  const client = createGuardClient(guardSocket, 1);
  let answer: Awaited<ReturnType<typeof client.ask>>;
  try {
    answer = await client.ask('GET', '/_ping');
  } catch (error) {
    const mend = 'start engine-guard, and give its GUARD_SOCKET; the launcher must be in its group';
    return [fail('guard', wordsOfError(error), mend)];
  }
  const guard = pass('guard', `engine-guard answers at ${guardSocket}`);
  if (answer.status !== 200) {
    const mend = 'start the engine that ENGINE_SOCKET of engine-guard names';
    return [guard, fail('docker_engine', `the engine does not answer: ${wordsOf(answer)}`, mend)];
  }
  const engine = pass('docker_engine', 'the engine answers');
  if (image === undefined) return [guard, engine];
  return [guard, engine, ...(await checkImage(client, { guardSocket, image, stateDir }))];
}

async function checkImage(
  client: GuardClient,
  { guardSocket, image, stateDir }: EngineCheckOptions & { image: string },
): Promise<Check[]> {
  const workspace = createGuardWorkspace(client, stateDir);
  const instance = newId();
  const driver = createDockerDriver({
    engine: createEngine(guardSocket),
    instance,
    image,
    stateDir,
    usageOf: workspace.usageOf,
  });
  try {
    await renewGuardLease(client, instance);
    const report = await probeEngine({ driver, workspace, stateDir });
    return [
      pass('engine_sandbox_starts', 'a sandbox of the image starts and has what collectors need'),
      report.usable
        ? pass('engine_step_mount', 'steps share their trees (overlay)')
        : warn(
            'engine_step_mount',
            `each step gets a copy of its tree: ${report.problem}`,
            'keep GUARD_ROOT on a file system like ext4 or xfs',
          ),
    ];
  } catch (error) {
    const mend = 'name the same image in SANDBOX_IMAGE and in IMAGES of engine-guard';
    return [fail('engine_sandbox_starts', wordsOfError(error), mend)];
  }
}

function wordsOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
