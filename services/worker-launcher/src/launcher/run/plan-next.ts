/**
 * What a run has to do next, from the rows of its steps alone, so that whoever takes a run over comes to the same answer
 * as the one who left it. A finished step is never done again; an attempt that was cut off through no fault of the agent
 * does not count against its node.
 */
import type { StepRow } from '@sallyport/shared/db/step';

/** Ends of steps that say nothing about the agent. */
export const BLAMELESS_REASONS = [
  'launcher_lost',
  'halted',
  'cancelled',
  'launcher_stopping',
] as const;

/** So often may launchers die over one node before the run is given up: the agent may be what kills them. */
export const MAX_LOST_LAUNCHERS = 5;

export interface PlanInput {
  node: { id: string; attempts: number };
  limits: { steps: number; wallSeconds: number };
  steps: readonly Pick<
    StepRow,
    'node' | 'visit' | 'attempt' | 'state' | 'exit' | 'startedAt' | 'endedAt'
  >[];
}

export type Plan =
  | { kind: 'run'; visit: number; attempt: number; wallSecondsLeft: number }
  | { kind: 'finished'; visit: number; attempt: number }
  | { kind: 'failed'; reason: string; message: string };

/** Plans the next move of a team with one node. Steps that are still `started` must have been settled before. */
export function planNext({ node, limits, steps }: PlanInput): Plan {
  const own = steps.filter((step) => step.node === node.id && step.visit === 1);
  const finished = own.find((step) => step.state === 'finished');
  if (finished !== undefined) return { kind: 'finished', visit: 1, attempt: finished.attempt };

  const lost = own.filter((step) => reasonOf(step) === 'launcher_lost').length;
  if (lost >= MAX_LOST_LAUNCHERS) {
    const message = `${lost} launchers were lost while they ran node ${node.id}; see their logs before trying again`;
    return { kind: 'failed', reason: 'launcher_lost', message };
  }
  const blamed = own.filter((step) => !isBlameless(step));
  const last = blamed.at(-1);
  if (last !== undefined && blamed.length >= node.attempts) {
    const reason = reasonOf(last) ?? 'step_failed';
    return { kind: 'failed', reason, message: messageOf(last, node.id, blamed.length) };
  }
  const blamedOfAll = steps.filter((step) => !isBlameless(step));
  if (blamedOfAll.length >= limits.steps) {
    const message = `the ticket allows ${limits.steps} steps`;
    return { kind: 'failed', reason: 'step_limit', message };
  }
  const wallSecondsLeft =
    limits.wallSeconds - blamedOfAll.reduce((sum, step) => sum + secondsOf(step), 0);
  if (wallSecondsLeft < 1) {
    const message = `the ticket allows ${limits.wallSeconds} seconds`;
    return { kind: 'failed', reason: 'wall_time_limit', message };
  }
  const attempt = Math.max(0, ...own.map((step) => step.attempt)) + 1;
  return { kind: 'run', visit: 1, attempt, wallSecondsLeft };
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

function secondsOf(step: Pick<StepRow, 'startedAt' | 'endedAt'>): number {
  return step.endedAt === null ? 0 : (step.endedAt.getTime() - step.startedAt.getTime()) / 1000;
}
