/**
 * The states of a task, the arrows between them, and the one process that may take each arrow. The database enforces the
 * same list in task_move(); a halt is no state.
 */
import type { Process } from '../processes.ts';

export const TASK_STATES = [
  /** Made from a delivery by the gate; nothing is known yet beyond the event itself. */
  'received',
  /** The gate has asked its questions and waits for answers; expires when they do not come. */
  'assessing',
  /** End: the gate said no, with reasons on the issue. */
  'refused',
  /** The gate wants a human to approve the running. */
  'awaiting_approval',
  /** A ticket is signed; the launcher may claim the run. */
  'admitted',
  /** A launcher holds or held the run's lease; a halted run is suspended and its task stays here. */
  'running',
  /** The bundle is stored. */
  'collected',
  /** The publisher is confirming, importing, judging. */
  'judging',
  /** The publisher wants a human to approve the leaving; nothing has left. */
  'held',
  /** End: the publisher said no; the bundle is kept. */
  'rejected',
  /** End: branch and pull request exist. */
  'published',
  /** End: a comment or a review was the result. */
  'answered',
  /** End: somebody with the right to do so cancelled it. */
  'cancelled',
  /** End: a question, an approval or a ticket ran out of time. */
  'expired',
  /** End: the run could not be finished; what there is of it is kept. */
  'failed',
] as const;
export type TaskState = (typeof TASK_STATES)[number];

interface Transition {
  from: TaskState;
  to: TaskState;
  by: Process;
}

export const TASK_TRANSITIONS: readonly Transition[] = [
  { from: 'received', to: 'assessing', by: 'gate' },
  { from: 'received', to: 'refused', by: 'gate' },
  { from: 'received', to: 'cancelled', by: 'gate' },
  { from: 'received', to: 'expired', by: 'gate' },
  { from: 'assessing', to: 'refused', by: 'gate' },
  { from: 'assessing', to: 'awaiting_approval', by: 'gate' },
  { from: 'assessing', to: 'admitted', by: 'gate' },
  { from: 'assessing', to: 'cancelled', by: 'gate' },
  { from: 'assessing', to: 'expired', by: 'gate' },
  { from: 'awaiting_approval', to: 'admitted', by: 'gate' },
  { from: 'awaiting_approval', to: 'refused', by: 'gate' },
  { from: 'awaiting_approval', to: 'cancelled', by: 'gate' },
  { from: 'awaiting_approval', to: 'expired', by: 'gate' },
  { from: 'admitted', to: 'running', by: 'worker-launcher' },
  { from: 'admitted', to: 'refused', by: 'worker-launcher' },
  { from: 'admitted', to: 'cancelled', by: 'gate' },
  { from: 'admitted', to: 'expired', by: 'gate' },
  { from: 'running', to: 'collected', by: 'worker-launcher' },
  { from: 'running', to: 'failed', by: 'worker-launcher' },
  { from: 'running', to: 'refused', by: 'worker-launcher' },
  { from: 'running', to: 'cancelled', by: 'gate' },
  { from: 'running', to: 'expired', by: 'gate' },
  { from: 'collected', to: 'judging', by: 'publisher' },
  { from: 'collected', to: 'cancelled', by: 'gate' },
  { from: 'judging', to: 'held', by: 'publisher' },
  { from: 'judging', to: 'rejected', by: 'publisher' },
  { from: 'judging', to: 'published', by: 'publisher' },
  { from: 'judging', to: 'answered', by: 'publisher' },
  { from: 'held', to: 'judging', by: 'publisher' },
  { from: 'held', to: 'cancelled', by: 'gate' },
  { from: 'held', to: 'expired', by: 'gate' },
  { from: 'failed', to: 'admitted', by: 'gate' },
  { from: 'rejected', to: 'admitted', by: 'gate' },
  { from: 'expired', to: 'admitted', by: 'gate' },
];

const LEFT: ReadonlySet<TaskState> = new Set(['refused', 'published', 'answered', 'cancelled']);
const RETRIED_BY_HUMANS: ReadonlySet<TaskState> = new Set(['rejected', 'expired', 'failed']);

/** Whether nothing more will happen to a task in this state unless a human asks for it. */
export function isEnd(state: TaskState): boolean {
  return LEFT.has(state) || RETRIED_BY_HUMANS.has(state);
}

/** Whether a process may take this arrow. */
export function mayMoveTask(from: TaskState, to: TaskState, by: Process): boolean {
  return TASK_TRANSITIONS.some((t) => t.from === from && t.to === to && t.by === by);
}

export const RUN_STATES = [
  /** Made by the gate together with its ticket. */
  'pending',
  /** A launcher works on it under a lease. */
  'running',
  /** Ended early by a halt or by its launcher's death; goes on from its last finished step. */
  'suspended',
  /** The bundle is stored. */
  'collected',
  /** End: limits, agent or system failed it; the reason is kept. */
  'failed',
  /** End: its task was cancelled. */
  'cancelled',
] as const;
export type RunState = (typeof RUN_STATES)[number];

interface RunTransition {
  from: RunState;
  to: RunState;
  by: Process;
}

export const RUN_TRANSITIONS: readonly RunTransition[] = [
  { from: 'pending', to: 'running', by: 'worker-launcher' },
  { from: 'pending', to: 'failed', by: 'worker-launcher' },
  { from: 'pending', to: 'cancelled', by: 'gate' },
  { from: 'running', to: 'suspended', by: 'worker-launcher' },
  { from: 'running', to: 'collected', by: 'worker-launcher' },
  { from: 'running', to: 'failed', by: 'worker-launcher' },
  { from: 'running', to: 'cancelled', by: 'gate' },
  { from: 'suspended', to: 'running', by: 'worker-launcher' },
  { from: 'suspended', to: 'cancelled', by: 'gate' },
  { from: 'suspended', to: 'failed', by: 'worker-launcher' },
];
