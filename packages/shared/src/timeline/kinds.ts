/** The events of a task's life and the processes that may write each. The database refuses every other pair. */
import type { Process } from '../processes.ts';

export const TIMELINE_KINDS = {
  delivery_stored: ['gate'],
  task_assessed: ['gate'],
  task_approved: ['gate'],
  ticket_issued: ['gate'],
  ticket_refused: ['worker-launcher', 'publisher'],
  task_ended: ['gate', 'worker-launcher', 'publisher'],
  run_started: ['worker-launcher'],
  run_suspended: ['worker-launcher'],
  environment_ready: ['worker-launcher'],
  environment_failed: ['worker-launcher'],
  step_started: ['worker-launcher'],
  cli_refused: ['worker-launcher'],
  step_ended: ['worker-launcher'],
  tree_compared: ['worker-launcher'],
  bundle_collected: ['worker-launcher'],
  canary_seen: ['worker-launcher', 'publisher'],
  verdict_given: ['publisher'],
  token_minted: ['publisher'],
  token_revoked: ['publisher'],
  pushed: ['publisher'],
  published: ['publisher'],
  halt_set: ['console', 'operator', 'gate', 'publisher'],
  halt_lifted: ['console', 'operator'],
  operator_acted: ['gate', 'publisher'],
} as const satisfies Record<string, readonly Process[]>;
export type TimelineKind = keyof typeof TIMELINE_KINDS;

/** The subject of events that belong to the deployment and not to one task. */
export const DEPLOYMENT_SUBJECT = '00000000-0000-0000-0000-000000000000';
