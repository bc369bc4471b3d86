/**
 * Drives a run through its team: asks what is due, starts it, waits for any step to end, asks again. It keeps nothing in
 * mind that is not in Postgres but the steps that are at work in this very process.
 */
import { listSteps, type StepRow } from '@sallyport/shared/db/step';
import { AppError } from '@sallyport/shared/errors';
import type { VisitName } from '@sallyport/teams/graph/run-progress';
import type { RunEnvironment } from '../environment/run-environment.ts';
import { performStep } from '../run/perform-step.ts';
import { readAdmittedRun } from '../run/read-admitted-run.ts';
import { failRun } from '../run/run-stop.ts';
import type { AdmittedRun, RunWork } from '../run/work.ts';
import { nextSteps, type NextSteps, type NextStepsInput, type PlannedStep } from './next-steps.ts';
import type { PlannedTeam } from './plan-nodes.ts';
import { createRunTrees, type BaseTree, type RunTrees } from './run-trees.ts';

/**
 * Performs what is missing of the team.
 * @returns the tree that the run ends with, and the step whose work it is.
 * @throws RunStopped when the run fails or nothing may go on; what was at work has ended then.
 */
export async function runTeam(
  work: RunWork,
  admitted: AdmittedRun,
  planned: PlannedTeam,
  startTree: string,
  environment: RunEnvironment | null,
): Promise<BaseTree> {
  const trees = createRunTrees(work, admitted, startTree, environment);
  const active = new Map<PlannedStep, Promise<void>>();
  let broken: { error: unknown } | undefined;

  function start(step: PlannedStep, steps: readonly StepRow[], current: AdmittedRun): void {
    const done = startStep(work, { admitted: current, planned, trees, startTree }, step, steps)
      .catch((error: unknown) => {
        broken ??= { error };
      })
      .finally(() => active.delete(step));
    active.set(step, done);
  }

  for (;;) {
    const steps = await listSteps(work.db, work.lease.runId);
    const next = planNext(work, admitted, planned, withUnwritten(steps, active.keys()));
    if (active.size === 0) {
      if (broken !== undefined) throw broken.error;
      if (next.kind === 'failed') failRun(next.reason, next.message);
      if (next.kind === 'done') return baseOf(steps, next.treeFrom, startTree);
      if (next.start.length === 0) throw new AppError('internal', 'the run waits for nothing');
    }
    if (broken === undefined && next.kind === 'go_on') {
      try {
        for (const step of next.start) start(step, steps, await permit(work, admitted));
      } catch (error) {
        // What is at work is let finish: it has been paid for.
        broken = { error };
      }
    }
    if (active.size > 0) await Promise.race(active.values());
  }
}

function planNext(
  work: RunWork,
  { claims }: AdmittedRun,
  { graph, nodes }: PlannedTeam,
  steps: NextStepsInput['steps'],
): NextSteps {
  return nextSteps({
    graph,
    rules: new Map([...nodes].map(([id, { node, readOnly }]) => [id, { ...node, readOnly }])),
    limits: { steps: claims.limits.steps, wallSeconds: claims.limits.wall_seconds },
    steps,
    maxParallel: work.maxParallelSteps,
    now: new Date(),
  });
}

/** A step that is being made ready has no row yet; without one it would be planned once more. */
function withUnwritten(
  steps: readonly StepRow[],
  active: Iterable<PlannedStep>,
): NextStepsInput['steps'] {
  const unwritten = [...active]
    .filter((a) => !steps.some((s) => isVisit(s, a) && s.attempt === a.attempt))
    .map(({ node, visit, attempt }) => ({
      id: '',
      ...{ node, visit, attempt, state: 'started' as const, readOnly: true },
      ...{ handOff: null, exit: null, startedAt: new Date(), endedAt: null },
    }));
  return [...steps, ...unwritten];
}

/** Asked before each start: a halt may have come, a ticket run out or been revoked while others were at work. */
async function permit(work: RunWork, admitted: AdmittedRun): Promise<AdmittedRun> {
  work.signals.throwIfNothingMayStart();
  await work.halt.assertClear(admitted.task.repositoryId);
  const { claims } = await readAdmittedRun(work);
  return { ...admitted, claims };
}

interface StepSurroundings {
  admitted: AdmittedRun;
  planned: PlannedTeam;
  trees: RunTrees;
  startTree: string;
}

async function startStep(
  work: RunWork,
  { admitted, planned, trees, startTree }: StepSurroundings,
  step: PlannedStep,
  steps: readonly StepRow[],
): Promise<void> {
  const node = planned.nodes.get(step.node);
  if (node === undefined) throw new AppError('internal', `the team has no node ${step.node}`);
  await performStep(work, {
    admitted,
    planned: node,
    trees,
    visit: step.visit,
    attempt: step.attempt,
    wallSecondsLeft: step.wallSecondsLeft,
    base: baseOf(steps, step.treeFrom, startTree),
    handOffs: step.from.map((from) => ({
      node: from.node,
      handOff: finished(steps, from).handOff,
    })),
    earlierPolicies: steps.flatMap(({ node: id, policyHash }) =>
      id === step.node && policyHash !== null ? [policyHash] : [],
    ),
  });
}

function baseOf(
  steps: readonly StepRow[],
  treeFrom: VisitName | null,
  startTree: string,
): BaseTree {
  if (treeFrom === null) return { tree: startTree, step: null };
  const step = finished(steps, treeFrom);
  if (step.tree === null) throw new AppError('internal', 'a finished step has no tree');
  return { tree: step.tree, step };
}

function finished(steps: readonly StepRow[], visit: VisitName): StepRow {
  const found = steps.find((step) => step.state === 'finished' && isVisit(step, visit));
  if (found === undefined) throw new AppError('internal', 'a step that was planned on is gone');
  return found;
}

function isVisit(step: VisitName, visit: VisitName): boolean {
  return step.node === visit.node && step.visit === visit.visit;
}
