/**
 * How much a run and each visit of a node may still spend, from the rows of its steps alone. An attempt that was cut off
 * through no fault of its agent counts against nobody, but a visit that loses every launcher is given up.
 */
import type { StepRow } from '@sallyport/shared/db/step';
import type { WriteAttemptAction } from '@sallyport/teams/restriction-words';

export type EngineStep = Pick<
  StepRow,
  'id' | 'node' | 'visit' | 'attempt' | 'state' | 'exit' | 'startedAt' | 'endedAt'
>;

/** Ends of steps that say nothing about the agent. */
export const BLAMELESS_REASONS = [
  'launcher_lost',
  'halted',
  'cancelled',
  'launcher_stopping',
] as const;

/** So often may launchers die over one visit before the run is given up: the agent may be what kills them. */
export const MAX_LOST_LAUNCHERS = 5;

/** Why a step failed that did all that was asked but tried to write where it must not. */
export const WRITE_ATTEMPT = 'write_attempt';

export interface Exhaustion {
  reason: string;
  message: string;
}

/** What of a node its steps are planned by; `readOnly` with every restriction applied. */
export interface NodeRules {
  id: string;
  readOnly: boolean;
  attempts: number;
  onWriteAttempt: WriteAttemptAction;
}

/** Why this visit gets no further attempt; undefined when it does. `own` are its steps in the order of their start. */
export function exhaustedVisit(
  node: NodeRules,
  own: readonly EngineStep[],
): Exhaustion | undefined {
  const lost = own.filter((step) => reasonOf(step) === 'launcher_lost').length;
  if (lost >= MAX_LOST_LAUNCHERS) {
    const message = `${lost} launchers were lost while they ran node ${node.id}; see their logs before trying again`;
    return { reason: 'launcher_lost', message };
  }
  const blamed = own.filter((step) => step.state === 'failed' && !isBlameless(step));
  const last = blamed.at(-1);
  if (last === undefined) return undefined;
  const reason = reasonOf(last) ?? 'step_failed';
  const gone = { reason, message: messageOf(last, node.id, blamed.length) };
  if (reason !== WRITE_ATTEMPT) return blamed.length >= node.attempts ? gone : undefined;
  // A node that is to be run again after a write gets one attempt more than it has for its other failures.
  const rerun = node.onWriteAttempt === 'rerun';
  return rerun && blamed.length < node.attempts + 1 ? undefined : gone;
}

/** Steps that count against the ticket's limit, those at work included. */
export function countSteps(steps: readonly EngineStep[]): number {
  return steps.filter((step) => !isBlameless(step)).length;
}

/** Seconds in which at least one counted step was at work. */
export function secondsAtWork(steps: readonly EngineStep[], now: Date): number {
  const spans = steps
    .filter((step) => !isBlameless(step))
    .map((step) => [step.startedAt.getTime(), (step.endedAt ?? now).getTime()] as const)
    .toSorted(([a], [b]) => a - b);
  let total = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const [from, to] of spans) {
    total += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return total / 1000;
}

function reasonOf(step: Pick<StepRow, 'exit'>): string | undefined {
  const reason = fieldOf(step.exit, 'reason');
  return typeof reason === 'string' ? reason : undefined;
}

function messageOf(step: Pick<StepRow, 'exit'>, node: string, attempts: number): string {
  const message = fieldOf(step.exit, 'message');
  return `node ${node} failed in ${attempts === 1 ? 'its only attempt' : `${attempts} attempts`}: ${
    typeof message === 'string' ? message : 'no message'
  }`;
}

function fieldOf(exit: unknown, field: string): unknown {
  return typeof exit === 'object' && exit !== null
    ? (exit as Record<string, unknown>)[field]
    : undefined;
}

function isBlameless(step: Pick<StepRow, 'exit'>): boolean {
  return (BLAMELESS_REASONS as readonly (string | undefined)[]).includes(reasonOf(step));
}
