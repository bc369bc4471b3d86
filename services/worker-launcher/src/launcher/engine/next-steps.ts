/**
 * What a run has to do next, from its team and the rows of its steps alone, so that whoever takes a run over comes to the
 * same answer as the one who left it. A finished step is never done again, and two nodes that write never run at once,
 * also if a team that says otherwise should ever get this far.
 */
import type { StepRow } from '@sallyport/shared/db/step';
import {
  runProgress,
  type DueVisit,
  type FinishedVisit,
  type VisitName,
} from '@sallyport/teams/graph/run-progress';
import type { TeamGraph } from '@sallyport/teams/graph/team-graph';
import { OUTCOMES, type Outcome } from '@sallyport/teams/hand-off';
import {
  countSteps,
  exhaustedVisit,
  secondsAtWork,
  type NodeRules,
  type EngineStep,
} from './step-budget.ts';

export interface NextStepsInput {
  graph: TeamGraph;
  rules: ReadonlyMap<string, NodeRules>;
  limits: { steps: number; wallSeconds: number };
  /** In the order of their start. Those that are `started` are at work now; lost ones must have been ended before. */
  steps: readonly (EngineStep & Pick<StepRow, 'readOnly' | 'handOff'>)[];
  maxParallel: number;
  now: Date;
}

export interface PlannedStep extends VisitName {
  attempt: number;
  /** The finished visits whose hand-offs this one receives. */
  from: readonly VisitName[];
  /** The visit whose tree this one gets; null: the tree that the run started with. */
  treeFrom: VisitName | null;
  wallSecondsLeft: number;
}

export type NextSteps =
  /** Start these, now, beside what is at work; nothing to start means wait. */
  | { kind: 'go_on'; start: readonly PlannedStep[] }
  | { kind: 'done'; last: readonly VisitName[]; treeFrom: VisitName | null }
  /** Start nothing more. What is at work may end. */
  | { kind: 'failed'; reason: string; message: string };

/** Plans the next moves of a run. */
export function nextSteps(input: NextStepsInput): NextSteps {
  const { steps } = input;
  const progress = progressOf(input);
  if (progress === undefined) {
    return failed('steps_of_another_team', 'the steps of this run are not those of its team');
  }
  if (progress.state === 'ended') {
    return { kind: 'done', last: progress.last, treeFrom: progress.treeFrom };
  }
  if (progress.state === 'visit_limit') {
    const { node, visits } = progress;
    return failed(
      'visit_limit',
      `node ${node} has been visited ${visits} times, which is its limit, and would be again`,
    );
  }
  const writers = progress.due.filter(({ node }) => !ruleOf(input, node).readOnly);
  if (writers.length > 1) {
    const names = writers.map(({ node }) => node).join(' and ');
    return failed('concurrent_writers', `${names} write and would run at the same time`);
  }
  const open = progress.due.filter(
    (due) => !steps.some((s) => s.state === 'started' && is(s, due)),
  );
  for (const due of open) {
    const gone = exhaustedVisit(ruleOf(input, due.node), stepsOf(steps, due));
    if (gone !== undefined) return { kind: 'failed', ...gone };
  }
  return choose(input, open);
}

function choose(input: NextStepsInput, open: readonly DueVisit[]): NextSteps {
  const { limits, steps, maxParallel, now } = input;
  const atWork = steps.filter((step) => step.state === 'started').length;
  const stepsLeft = limits.steps - countSteps(steps);
  const wallSecondsLeft = limits.wallSeconds - secondsAtWork(steps, now);
  if (atWork === 0 && stepsLeft < 1) {
    return failed('step_limit', `the ticket allows ${limits.steps} steps`);
  }
  if (open.length > 0 && wallSecondsLeft < 1) {
    return failed('wall_time_limit', `the ticket allows ${limits.wallSeconds} seconds`);
  }
  const room = Math.max(0, Math.min(maxParallel - atWork, stepsLeft));
  const start = open.slice(0, room).map((due) => {
    const attempts = stepsOf(steps, due).map((step) => step.attempt);
    return { ...due, attempt: Math.max(0, ...attempts) + 1, wallSecondsLeft };
  });
  return { kind: 'go_on', start };
}

function progressOf({ graph, steps }: NextStepsInput): ReturnType<typeof runProgress> | undefined {
  try {
    return runProgress(
      graph,
      steps
        .filter((step) => step.state === 'finished')
        .toSorted(byEnd)
        .map(asVisit),
    );
  } catch {
    return undefined;
  }
}

function asVisit(step: NextStepsInput['steps'][number]): FinishedVisit {
  const { node, visit } = step;
  return { node, visit, outcome: outcomeOf(step.handOff), wrote: !step.readOnly };
}

function byEnd(a: EngineStep, b: EngineStep): number {
  const order = (a.endedAt?.getTime() ?? 0) - (b.endedAt?.getTime() ?? 0);
  return order !== 0 ? order : a.id < b.id ? -1 : 1;
}

/** The outcome in a stored hand-off; only what was checked is stored. */
function outcomeOf(handOff: unknown): Outcome {
  const outcome = (handOff as { outcome?: unknown } | null)?.outcome;
  const known = OUTCOMES.find((o) => o === outcome);
  if (known === undefined) throw new TypeError('a finished step has no outcome');
  return known;
}

function ruleOf({ rules }: NextStepsInput, node: string): NodeRules {
  return rules.get(node) ?? { id: node, readOnly: false, attempts: 1, onWriteAttempt: 'note' };
}

function stepsOf<T extends VisitName>(steps: readonly T[], visit: VisitName): T[] {
  return steps.filter((step) => is(step, visit));
}

function is(step: VisitName, visit: VisitName): boolean {
  return step.node === visit.node && step.visit === visit.visit;
}

function failed(reason: string, message: string): NextSteps {
  return { kind: 'failed', reason, message };
}
