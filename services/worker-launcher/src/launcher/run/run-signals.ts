/**
 * How the outside reaches into a run that is being worked on: the loss of its lease, a halt, a cancellation, the end of
 * the process. The agent's sandbox ends at once in every case; a collector that is taking in finished work gets a moment.
 */
import { stopRun } from './run-stop.ts';

export const INTERRUPTIONS = ['lease_lost', 'halted', 'cancelled', 'launcher_stopping'] as const;
export type Interruption = (typeof INTERRUPTIONS)[number];

/** After a stop every sandbox must have ended within five seconds; this leaves room for the ending itself. */
export const COLLECT_GRACE_MS = 4_000;

export interface RunSignals {
  /** Ends the agent now. The first reason counts, but a lost lease overrules any other. */
  interrupt(why: Interruption): void;
  /** Starts nothing more; what runs may finish. */
  windDown(): void;
  readonly interruption: Interruption | undefined;
  /** For the agent's sandbox. */
  readonly agent: AbortSignal;
  /** For collectors: aborted at once when the lease is lost, else after COLLECT_GRACE_MS. */
  readonly collect: AbortSignal;
  /** For waiting: aborted by interruptions and by winding down. */
  readonly wait: AbortSignal;
  /** @throws RunStopped when the run has been interrupted. */
  throwIfInterrupted(): void;
  /** @throws RunStopped when nothing new may begin in this run. */
  throwIfNothingMayStart(): void;
  /** Forgets its timers. */
  dispose(): void;
}

export function createRunSignals(): RunSignals {
  const agent = new AbortController();
  const collect = new AbortController();
  const wait = new AbortController();
  let interruption: Interruption | undefined;
  let windingDown = false;
  let timer: NodeJS.Timeout | undefined;

  function throwIfInterrupted(): void {
    if (interruption !== undefined) throwInterruption(interruption);
  }

  return {
    agent: agent.signal,
    collect: collect.signal,
    wait: wait.signal,
    get interruption() {
      return interruption;
    },
    interrupt(why) {
      if (why === 'lease_lost') {
        interruption = why;
        collect.abort(why);
      } else {
        interruption ??= why;
        timer ??= setTimeout(() => collect.abort(why), COLLECT_GRACE_MS);
      }
      agent.abort(why);
      wait.abort(why);
    },
    windDown() {
      windingDown = true;
      wait.abort('launcher_stopping');
    },
    throwIfInterrupted,
    throwIfNothingMayStart() {
      throwIfInterrupted();
      if (windingDown) throwInterruption('launcher_stopping');
    },
    dispose() {
      clearTimeout(timer);
    },
  };
}

function throwInterruption(why: Interruption): never {
  switch (why) {
    case 'lease_lost':
      return stopRun({ kind: 'lease_lost' });
    case 'cancelled':
      return stopRun({ kind: 'cancelled' });
    case 'halted':
      return stopRun({ kind: 'suspended', reason: 'halted', message: 'a halt ended what ran' });
    case 'launcher_stopping':
      return stopRun({
        kind: 'suspended',
        reason: 'launcher_stopping',
        message: 'the launcher stops',
      });
  }
}
