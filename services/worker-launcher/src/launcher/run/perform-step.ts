/**
 * One attempt at one step, from the tree that it is given to the commit of what it left. The row says `started` before
 * the sandbox is; whatever happens after, somebody ends that row: this code, or whoever takes the run over.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createCanary } from '@sallyport/shared/canary/create-canary';
import { crashPoint } from '@sallyport/shared/crash-point';
import { plantCanary } from '@sallyport/shared/db/canary';
import { inLeasedTransaction, requireHeld } from '@sallyport/shared/db/lease';
import { insertStep, listSteps } from '@sallyport/shared/db/step';
import { appendEvent } from '@sallyport/shared/db/timeline';
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import { newId } from '@sallyport/shared/ids';
import { requireSamePolicy } from '@sallyport/teams/readonly/effective-policy';
import { watchText } from '../canary/watch-canaries.ts';
import { stepDirectories, type StepDirectories } from '../collector/layout.ts';
import type { PlannedNode } from '../engine/plan-nodes.ts';
import type { BaseTree, PreparedTree, RunTrees } from '../engine/run-trees.ts';
import { WRITE_ATTEMPT } from '../engine/step-budget.ts';
import { buildPrompt } from './build-prompt.ts';
import { buildTaskFile, type StepIdentity, type TaskFile } from './build-task-file.ts';
import { commitStep, type EndedStep } from './commit-step.ts';
import { attemptedToWrite } from './compare-tree.ts';
import type { StepFailure } from './judge-exit.ts';
import { runAgent, type AgentRun } from './run-agent.ts';
import { failRun } from './run-stop.ts';
import { writePrompt, writeStepInputs, type GivenHandOff } from './step-inputs.ts';
import { PLACES } from './step-places.ts';
import { buildStepSandbox } from './step-sandbox.ts';
import { storableJson } from './storable.ts';
import { takeStep, type StepTaking } from './take-step.ts';
import type { AdmittedRun, RunWork } from './work.ts';

export interface StepInput {
  admitted: AdmittedRun;
  planned: PlannedNode;
  trees: RunTrees;
  visit: number;
  attempt: number;
  wallSecondsLeft: number;
  base: BaseTree;
  handOffs: readonly GivenHandOff[];
  /** Fingerprints of the policy under which this node was started before in this run. */
  earlierPolicies: readonly string[];
}

interface Attempt extends StepInput {
  id: string;
  identity: StepIdentity;
  directories: StepDirectories;
  taskFile: TaskFile;
  prepared: PreparedTree;
  canary: string;
}

/**
 * Performs the attempt and commits its end, good or bad.
 * @throws RunStopped when the run was interrupted (its row is ended then too, unless the lease is lost), or when the step
 *   would come back under another policy than before.
 */
export async function performStep(work: RunWork, input: StepInput): Promise<void> {
  const { admitted, planned, base } = input;
  refuseOtherPolicy(input);
  const id = newId();
  const identity: StepIdentity = {
    node: planned.node.id,
    visit: input.visit,
    attempt: input.attempt,
    readOnly: planned.readOnly,
  };
  const directories = stepDirectories(work.directories.pathOf(work.lease), id);
  try {
    const prepared = await input.trees.prepare(base, {
      id,
      directories,
      readOnly: planned.readOnly,
    });
    const { patch, withheld } = prepared;
    const taskFile = buildTaskFile(work.taskId, admitted.snapshot, identity, withheld);
    const canary = createCanary();
    const attempt: Attempt = { ...input, id, identity, directories, taskFile, prepared, canary };
    await writeStepInputs(work.workspace, directories, {
      taskFile,
      handOffs: input.handOffs,
      patch,
      files: planned.plan.files,
      canary,
    });
    work.signals.throwIfNothingMayStart();
    await startRow(work, attempt);
    if (patch !== null)
      await watchText(work, id, { seenIn: 'patch', text: patch.toString('latin1') });
    const run = await runAgent(work, agentStart(work, attempt));
    await endRow(work, attempt, run);
  } finally {
    await work.workspace.remove(directories.directory).catch((error: unknown) => {
      work.log.error({ err: error, stepId: id }, 'a step directory cannot be removed');
    });
  }
  work.signals.throwIfInterrupted();
}

function refuseOtherPolicy({ planned, earlierPolicies }: StepInput): void {
  try {
    requireSamePolicy(planned.node.id, earlierPolicies, planned.plan.policyHash);
  } catch (error) {
    if (errorCodeOf(error) !== 'forbidden' || !(error instanceof Error)) throw error;
    failRun('policy_weakened', error.message, { cause: error });
  }
}

function agentStart(work: RunWork, attempt: Attempt): Parameters<typeof runAgent>[1] {
  const { admitted, planned, prepared, directories, id } = attempt;
  return {
    repositoryId: admitted.task.repositoryId,
    wallMs: Math.min(planned.node.timeoutMinutes * 60, attempt.wallSecondsLeft) * 1000,
    outDirectory: directories.out,
    handOffFrom: planned.plan.handOff,
    async specFor(wallMs, repair) {
      const prompt = buildPrompt({
        nodePrompt: planned.node.prompt,
        task: attempt.taskFile,
        places: PLACES,
        rule: planned.plan.promptSuffix,
        handOffsOf: attempt.handOffs.map(({ node }) => node),
        hasPatch: prepared.patch !== null,
        ...(repair === undefined ? {} : { repair }),
      });
      await writePrompt(work.workspace, directories, prompt);
      return buildStepSandbox({
        stepId: id,
        start: repair === undefined ? 1 : 2,
        labels: { task: work.taskId, run: work.lease.runId, step: id, node: planned.node.id },
        planned,
        treeMounts: prepared.mounts,
        runDirectory: work.directories.pathOf(work.lease),
        directories,
        wallMs: Math.floor(wallMs),
        prompt,
        canary: attempt.canary,
      });
    },
  };
}

async function startRow(work: RunWork, attempt: Attempt): Promise<void> {
  const { id, identity, planned, base, prepared } = attempt;
  const { plan, node, agent } = planned;
  const { enforcedBy, policyHash } = plan;
  const baseTree = base.tree;
  await inLeasedTransaction(work.db, work.lease, async (tx) => {
    requireHeld(
      await insertStep(tx, work.lease, { id, ...identity, enforcedBy, policyHash, baseTree }),
      work.lease,
    );
    requireHeld(await plantCanary(tx, work.lease, id, attempt.canary), work.lease);
    await appendEvent(tx, work.taskId, 'step_started', {
      stepId: id,
      runId: work.lease.runId,
      ...identity,
      cli: node.agent.cli,
      version: agent.version ?? null,
      level: plan.restriction?.level ?? null,
      restrictedBy: plan.restriction?.by ?? [],
      enforcedBy,
      verified: plan.verified,
      says: plan.sentence,
      removedArguments: plan.removed,
      mount: work.stepMount,
      policyHash,
      baseTree,
      // Shown as the base commit has it, although the tree that the step is given has it otherwise.
      withheldCount: prepared.withheld.withheldCount,
      withheld: storableJson(prepared.withheld.withheld),
    });
  });
  crashPoint('launcher:step_started');
}

async function endRow(work: RunWork, attempt: Attempt, run: AgentRun): Promise<void> {
  const { id, identity, directories, admitted, base, planned, prepared } = attempt;
  const { signals } = work;
  if (signals.interruption === 'lease_lost') signals.throwIfInterrupted();
  const last = run.exits.at(-1);
  let { failure } = run;
  let taking: StepTaking | undefined;
  if (last !== undefined && (run.exits.length > 1 || last.end.kind !== 'start_failed')) {
    taking = await takeStep(work, {
      admitted,
      stepId: id,
      directories,
      baseTree: base.tree,
      layers: prepared.layers,
      apart: prepared.apart,
      readOnly: identity.readOnly,
    });
    failure ??= failureOf(taking, identity.readOnly, planned.plan.onWriteAttempt);
  }
  crashPoint('launcher:step_ended_tree_not_committed');
  failure = cutShort(work, last, taking) ?? failure;
  await commitPatiently(work, {
    id,
    identity,
    baseTree: base.tree,
    mount: work.stepMount,
    failure,
    handOff: run.handOff,
    exits: run.exits,
    repaired: run.repaired,
    taking,
  });
  if (taking?.kind === 'taken') attempt.trees.knows(taking.taken.commit);
  crashPoint('launcher:step_committed');
}

/** What the tree has against a step whose agent did all else right. */
function failureOf(
  taking: StepTaking,
  readOnly: boolean,
  onWriteAttempt: string,
): StepFailure | undefined {
  if (taking.kind === 'lost') return taking.failure;
  if (!readOnly) return taking.kind === 'refused' ? taking.failure : undefined;
  if (onWriteAttempt === 'note' || !attemptedToWrite(taking, readOnly)) return undefined;
  const message =
    'the step is read-only and tried to change the project; what it wrote was discarded';
  return { reason: WRITE_ATTEMPT, message };
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
  exit: AgentRun['exits'][number] | undefined,
  taking: StepTaking | undefined,
): StepFailure | undefined {
  const { interruption } = signals;
  const reachedItsEnd =
    exit !== undefined && exit.end.kind !== 'stopped' && taking?.kind !== 'lost';
  if (interruption === undefined || reachedItsEnd) return undefined;
  return { reason: interruption, message: `the step was cut short: ${interruption}` };
}
