/**
 * Makes an environment: runs its commands upon the tree of the base commit, in a sandbox without agent and network, and
 * takes in what it produces. What else the commands changed is compared and told, and goes no further.
 */
import { AppError } from '@sallyport/shared/errors';
import { mirrorDirectory, stepDirectories } from '../collector/layout.ts';
import { takeEnvironment, type TakenEnvironment } from '../collector/take-environment.ts';
import { takeTree, type TakenTree } from '../collector/take-tree.ts';
import { createRunTrees, type PreparedTree } from '../engine/run-trees.ts';
import { mayStart } from '../run/ask-halt.ts';
import { lookAt } from '../run/take-step.ts';
import type { AdmittedRun, RunWork } from '../run/work.ts';
import type { SandboxExit } from '../sandbox/driver.ts';
import {
  isProblem,
  type ChosenEnvironment,
  type EnvironmentProblem,
} from './choose-environment.ts';
import { buildEnvironmentSandbox } from './environment-sandbox.ts';
import { judgeCommands, judgeProduced } from './judge-making.ts';

const KEY = 'environment';

export interface EnvironmentMaking {
  chosen: ChosenEnvironment;
  startTree: string;
  baseTree: string;
  /** Where it is made. */
  directory: string;
}

export interface MadeEnvironment {
  taken: Extract<TakenEnvironment, { kind: 'taken' }>;
  /** Tracked paths that the commands changed, the first of them. */
  changed: readonly string[];
  changedCount: number;
  exit: SandboxExit;
}

export type MakingEnd =
  | { ok: true; made: MadeEnvironment }
  | { ok: false; problem: EnvironmentProblem; exit: SandboxExit };

/** @throws RunStopped when the run was interrupted. */
export async function makeEnvironment(
  work: RunWork,
  admitted: AdmittedRun,
  making: EnvironmentMaking,
): Promise<MakingEnd> {
  const run = work.directories.pathOf(work.lease);
  const directories = stepDirectories(run, KEY);
  const trees = createRunTrees(work, admitted, making.startTree, null);
  try {
    const base = { tree: making.baseTree, step: null };
    const prepared = await trees.prepare(base, { id: KEY, directories, readOnly: false });
    const exit = await runCommands(work, admitted, making, prepared);
    work.signals.throwIfInterrupted();
    const problem = judgeCommands(exit.end, making.chosen.environment.timeoutMinutes);
    if (problem !== undefined) return { ok: false, exit, problem };
    const found = await takeIn(work, admitted, making, prepared);
    if (isProblem(found)) return { ok: false, exit, problem: found };
    const [compared, produced] = found;
    const taken = judgeProduced(produced);
    if (isProblem(taken)) return { ok: false, exit, problem: taken };
    return { ok: true, made: { taken, ...changesIn(compared), exit } };
  } finally {
    await work.workspace.remove(directories.directory).catch((error: unknown) => {
      work.log.error({ err: error }, 'the directory of an environment cannot be removed');
    });
  }
}

async function runCommands(
  work: RunWork,
  { task, claims }: AdmittedRun,
  { chosen }: EnvironmentMaking,
  { mounts }: PreparedTree,
): Promise<SandboxExit> {
  work.signals.throwIfNothingMayStart();
  const seconds = Math.min(chosen.environment.timeoutMinutes * 60, claims.limits.wall_seconds);
  const spec = buildEnvironmentSandbox({
    id: `environment-${work.lease.runId}-${work.lease.fence}`,
    labels: { task: task.id, run: work.lease.runId },
    chosen,
    treeMounts: mounts,
    runDirectory: work.directories.pathOf(work.lease),
    wallMs: seconds * 1000,
  });
  if (!(await mayStart(work, task.repositoryId))) work.signals.throwIfInterrupted();
  return work.driver.run(spec, { signal: work.signals.agent });
}

async function takeIn(
  work: RunWork,
  { task, claims }: AdmittedRun,
  { chosen, baseTree, directory }: EnvironmentMaking,
  { layers }: PreparedTree,
): Promise<[TakenTree, TakenEnvironment] | EnvironmentProblem> {
  const run = work.directories.pathOf(work.lease);
  const step = { key: KEY, given: baseTree, layered: layers !== null };
  const { produces } = chosen.environment;
  const start = claims.start.sha;
  const configurationFrom = claims.base.sha;
  try {
    return await work.collector.run({
      id: 'take-environment',
      labels: { task: task.id, run: work.lease.runId },
      mirror: { directory: mirrorDirectory(work.stateDir, task.repositoryId), access: 'read_only' },
      run,
      environment: { directory, access: 'read_write' },
      ...(layers === null ? {} : { look: await lookAt(work, stepDirectories(run, KEY), layers) }),
      operations: [
        takeTree({ ...step, start, configurationFrom, trackedOnly: true }),
        takeEnvironment({ ...step, produces }),
      ],
      signal: work.signals.agent,
    });
  } catch (error) {
    work.signals.throwIfInterrupted();
    // What its commands left is beyond a collector's bounds, and would be the next time.
    if (!(error instanceof AppError) || error.code !== 'too_large') throw error;
    return { reason: 'produced_too_large', message: error.message };
  }
}

function changesIn(compared: TakenTree): Pick<MadeEnvironment, 'changed' | 'changedCount'> {
  if (compared.kind === 'refused') return { changed: [compared.message], changedCount: 1 };
  return {
    changed: compared.changes.map(({ path }) => path),
    changedCount: compared.changeCount,
  };
}
