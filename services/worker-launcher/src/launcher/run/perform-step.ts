/**
 * One attempt at one step, from the tree that it is given to the commit of what it left. The row says `started` before
 * the sandbox is; whatever happens after, somebody ends that row: this code, or whoever takes the run over.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { crashPoint } from '@sallyport/shared/crash-point';
import { inLeasedTransaction, requireHeld } from '@sallyport/shared/db/lease';
import { insertStep, listSteps } from '@sallyport/shared/db/step';
import { appendEvent } from '@sallyport/shared/db/timeline';
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import { newId } from '@sallyport/shared/ids';
import type { HandOff } from '@sallyport/teams/hand-off';
import { mirrorDirectory, stepDirectories } from '../collector/layout.ts';
import { materialize } from '../collector/materialize.ts';
import { readHandOff } from '../read-hand-off.ts';
import type { SandboxExit } from '../sandbox/driver.ts';
import { buildTaskFile, type StepIdentity } from './build-task-file.ts';
import type { ChosenNode } from './choose-node.ts';
import { commitStep, type EndedStep } from './commit-step.ts';
import { judgeExit, type StepFailure } from './judge-exit.ts';
import { removeTree } from './remove-tree.ts';
import { buildStepSandbox, writeStepInputs } from './step-sandbox.ts';
import { takeStep, type StepTaking } from './take-step.ts';
import type { AdmittedRun, RunWork } from './work.ts';

export interface StepInput {
  admitted: AdmittedRun;
  chosen: ChosenNode;
  visit: number;
  attempt: number;
  wallSecondsLeft: number;
  baseTree: string;
}

/**
 * Performs the attempt and commits its end, good or bad.
 * @throws RunStopped when the run was interrupted (its row is ended then too, unless the lease is lost).
 */
export async function performStep(work: RunWork, input: StepInput): Promise<void> {
  const { admitted, chosen, baseTree } = input;
  const { node, readOnly } = chosen;
  const id = newId();
  const identity: StepIdentity = {
    node: node.id,
    visit: input.visit,
    attempt: input.attempt,
    readOnly,
  };
  const runDirectory = work.directories.pathOf(work.lease);
  const directories = stepDirectories(runDirectory, id);
  const labels = { task: work.taskId, run: work.lease.runId, step: id, node: node.id };
  const taskFile = buildTaskFile(work.taskId, admitted.snapshot, identity);
  const { spec, prompt, policyHash } = buildStepSandbox({
    stepId: id,
    labels,
    node,
    agent: chosen.agent,
    taskFile,
    runDirectory,
    directories,
    wallSecondsLeft: input.wallSecondsLeft,
  });
  try {
    await work.collector.run({
      id: `lay-${id}`,
      labels,
      mirror: {
        directory: mirrorDirectory(work.stateDir, admitted.task.repositoryId),
        access: 'read_only',
      },
      run: runDirectory,
      operations: [materialize({ key: id, tree: baseTree, start: admitted.claims.start.sha })],
      signal: work.signals.agent,
    });
    await writeStepInputs(directories, prompt, taskFile);
    work.signals.throwIfNothingMayStart();
    await startRow(work, { id, identity, policyHash, baseTree });
    const exit = await runAgent(work, admitted.task.repositoryId, spec);
    await endRow(work, { id, identity, baseTree, admitted, outDirectory: directories.out }, exit);
  } finally {
    await removeTree(directories.directory).catch((error: unknown) => {
      work.log.error({ err: error, stepId: id }, 'a step directory cannot be removed');
    });
  }
  work.signals.throwIfInterrupted();
}

interface StartedRow {
  id: string;
  identity: StepIdentity;
  policyHash: string;
  baseTree: string;
}

async function startRow(
  work: RunWork,
  { id, identity, policyHash, baseTree }: StartedRow,
): Promise<void> {
  const enforcedBy = identity.readOnly ? 'os_sandbox' : 'not_read_only';
  await inLeasedTransaction(work.db, work.lease, async (tx) => {
    requireHeld(
      await insertStep(tx, work.lease, { id, ...identity, enforcedBy, policyHash, baseTree }),
      work.lease,
    );
    const who = { stepId: id, runId: work.lease.runId, ...identity };
    await appendEvent(tx, work.taskId, 'step_started', {
      ...who,
      enforcedBy,
      policyHash,
      baseTree,
    });
  });
  crashPoint('launcher:step_started');
}

/** The exit of the agent's sandbox; undefined when a halt came before it could be started. */
async function runAgent(
  work: RunWork,
  repositoryId: number,
  spec: Parameters<RunWork['driver']['run']>[0],
): Promise<SandboxExit | undefined> {
  try {
    await work.halt.assertClear(repositoryId);
  } catch (error) {
    if (errorCodeOf(error) !== 'halted') throw error;
    work.signals.interrupt('halted');
    return undefined;
  }
  return work.driver.run(spec, {
    signal: work.signals.agent,
    onStdout: () => crashPoint('launcher:sandbox_runs'),
  });
}

interface RunningRow {
  id: string;
  identity: StepIdentity;
  baseTree: string;
  admitted: AdmittedRun;
  outDirectory: string;
}

async function endRow(
  work: RunWork,
  row: RunningRow,
  exit: SandboxExit | undefined,
): Promise<void> {
  const { id, identity, baseTree } = row;
  const { signals } = work;
  if (signals.interruption === 'lease_lost') signals.throwIfInterrupted();
  let failure = exit === undefined ? undefined : judgeExit(exit);
  let handOff: HandOff | undefined;
  let taking: StepTaking | undefined;
  if (failure === undefined && exit !== undefined) {
    const read = await readHandOff(row.outDirectory);
    if (read.ok) handOff = read.handOff;
    else failure = { reason: `hand_off_${read.problem}`, message: read.message };
  }
  if (exit !== undefined && exit.end.kind !== 'start_failed') {
    taking = await takeStep(work, row.admitted, id, baseTree);
    if (!taking.ok) failure ??= taking.failure;
  }
  crashPoint('launcher:step_ended_tree_not_committed');
  failure = cutShort(work, exit, taking) ?? failure;
  await commitPatiently(work, { id, identity, baseTree, failure, handOff, exit, taking });
  crashPoint('launcher:step_committed');
}

const COMMIT_ATTEMPTS = 8;

/** The work has been paid for: a database that is away for a moment must not cost it while the lease is held. */
async function commitPatiently(work: RunWork, step: EndedStep): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await commitStep(work, step);
    } catch (error) {
      const mayPass = !(error instanceof AppError) || error.code === 'unavailable';
      if (!mayPass || attempt === COMMIT_ATTEMPTS || work.signals.interruption === 'lease_lost')
        throw error;
      work.log.warn(
        { err: error, stepId: step.id, attempt },
        'the end of a step could not be written',
      );
    }
    await sleep(Math.min(250 * 2 ** attempt, 4_000));
    // The commit may have come through and only its answer been lost.
    const steps = await listSteps(work.db, work.lease.runId).catch(() => []);
    if (steps.some((row) => row.id === step.id && row.state !== 'started')) return;
  }
}

/** The interruption, when it kept the step from its own end: then the agent did not fail. What was finished stays so. */
function cutShort(
  { signals }: RunWork,
  exit: SandboxExit | undefined,
  taking: StepTaking | undefined,
): StepFailure | undefined {
  const { interruption } = signals;
  const reachedItsEnd = exit !== undefined && exit.end.kind !== 'stopped' && taking?.ok !== false;
  if (interruption === undefined || reachedItsEnd) return undefined;
  return { reason: interruption, message: `the step was cut short: ${interruption}` };
}
