/**
 * The ways in which the work on a run can come to an end before its bundle, and the exception that carries one of them up
 * to the single place that writes it down.
 */

/** Why a run may be put aside and taken up again later. */
export type SuspendReason = 'halted' | 'launcher_stopping';

export type RunStop =
  /** Goes on later, here or elsewhere, from its last finished step. */
  | { kind: 'suspended'; reason: SuspendReason; message: string }
  /** End: `reason` is a code, `message` tells people what happened and what to do. */
  | { kind: 'failed'; reason: string; message: string }
  /** End: no valid ticket. `why` is the code of what is wrong with it. */
  | { kind: 'refused'; why: string }
  /** Somebody cancelled the task; its states have been moved by who did. */
  | { kind: 'cancelled' }
  /** Another launcher may be at work: nothing may be written any more. */
  | { kind: 'lease_lost' }
  /** This side is in trouble; the lease is left to run out, which spaces the attempts. */
  | { kind: 'later' };

export class RunStopped extends Error {
  override readonly name = 'RunStopped';
  readonly stop: RunStop;

  constructor(stop: RunStop, options: ErrorOptions = {}) {
    super(`the run stops: ${stop.kind}`, options);
    this.stop = stop;
  }
}

/** Ends the work on the run. */
export function stopRun(stop: RunStop, options: ErrorOptions = {}): never {
  throw new RunStopped(stop, options);
}

/** Ends the run as failed. */
export function failRun(reason: string, message: string, options: ErrorOptions = {}): never {
  stopRun({ kind: 'failed', reason, message }, options);
}
