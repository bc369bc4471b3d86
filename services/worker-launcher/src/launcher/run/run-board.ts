/**
 * The runs that this process works on at the moment: takes new ones while there is room, carries halts, cancellations and
 * the end of the process to them. Level-triggered: a job, a sweep and a freed place all do the same, look what waits.
 */
import { crashPoint } from '@sallyport/shared/crash-point';
import type { Pool } from '@sallyport/shared/db/pool';
import { listRunStates } from '@sallyport/shared/db/run';
import { errorCodeOf } from '@sallyport/shared/errors';
import { advanceRun } from './advance-run.ts';
import { claimRun, type ClaimedRun } from './claim-run.ts';
import { keepLease } from './keep-lease.ts';
import { createRunSignals, type RunSignals } from './run-signals.ts';
import type { LauncherMeans } from './work.ts';

export interface RunBoard {
  /** Takes what waits, the run of this task first if one is named, until there is no room. */
  fill(taskId?: string): Promise<void>;
  /** Ends what a `stop` covers. */
  heedHalt(): void;
  /** Ends runs whose task was cancelled, or whose state somebody else moved. Looks only if this task is at work here. */
  heedCancellations(taskId?: string): Promise<void>;
  /** Takes nothing more, lets running steps go on for `drainMs`, then ends them; resolves when nothing is left. */
  stop(drainMs: number): Promise<void>;
}

interface ActiveRun {
  claimed: ClaimedRun;
  signals: RunSignals;
  done: Promise<void>;
}

export interface RunBoardOptions {
  means: LauncherMeans;
  maxRuns: number;
  leaseSeconds: number;
}

export function createRunBoard({ means, maxRuns, leaseSeconds }: RunBoardOptions): RunBoard {
  const { db, halt, instance } = means;
  const active = new Map<string, ActiveRun>();
  let stopping = false;
  let turn: Promise<unknown> = Promise.resolve();

  /** One claim at a time: each needs two connections, and a full pool of half-made claims would never get the second. */
  function takeOne(taskId: string | null): Promise<boolean> {
    const taken = turn.then(() => claimOne(taskId));
    turn = taken.catch(() => {});
    return taken;
  }

  async function claimOne(taskId: string | null): Promise<boolean> {
    if (stopping || active.size >= maxRuns) return false;
    try {
      const claimed = await claimRun({ db, halt, holder: instance, leaseSeconds, taskId });
      if (claimed === null) return false;
      crashPoint('launcher:claimed_not_started');
      start(claimed);
      return true;
    } catch (error) {
      // The release of the halt is a nudge of its own.
      if (errorCodeOf(error) === 'halted') return false;
      throw error;
    }
  }

  async function fill(taskId?: string): Promise<void> {
    if (taskId !== undefined) await takeOne(taskId);
    while (await takeOne(null));
  }

  function start(claimed: ClaimedRun): void {
    const { lease, taskId } = claimed;
    const signals = createRunSignals();
    const log = means.log.child({ taskId, runId: lease.runId, fence: lease.fence });
    const keeper = keepLease({
      db,
      lease,
      seconds: leaseSeconds,
      log,
      onLost: () => signals.interrupt('lease_lost'),
    });
    log.info('run claimed');
    const done = advanceRun({ ...means, log, lease, taskId, signals })
      .then((end) => log.info({ end: end.kind }, 'run left'))
      .finally(() => {
        keeper.stop();
        signals.dispose();
        active.delete(lease.runId);
        if (!stopping)
          void fill().catch((error: unknown) =>
            log.warn({ err: error }, 'looking for runs failed'),
          );
      });
    active.set(lease.runId, { claimed, signals, done });
  }

  return {
    fill,
    heedHalt() {
      for (const { claimed, signals } of active.values()) {
        const view = halt.view(claimed.repositoryId);
        if (view.kind === 'halted' && view.level === 'stop') signals.interrupt('halted');
      }
    },
    async heedCancellations(taskId) {
      const concerned = [...active.values()].filter(
        (run) => taskId === undefined || run.claimed.taskId === taskId,
      );
      if (concerned.length > 0) await endMovedRuns(db, active);
    },
    async stop(drainMs) {
      stopping = true;
      await turn;
      for (const { signals } of active.values()) signals.windDown();
      const timer = setTimeout(() => {
        for (const { signals } of active.values()) signals.interrupt('launcher_stopping');
      }, drainMs);
      await Promise.allSettled([...active.values()].map(({ done }) => done));
      clearTimeout(timer);
    },
  };
}

async function endMovedRuns(db: Pool, active: ReadonlyMap<string, ActiveRun>): Promise<void> {
  for (const { runId, runState, taskState } of await listRunStates(db, [...active.keys()])) {
    const ours =
      ['pending', 'suspended', 'running'].includes(runState) &&
      ['admitted', 'running'].includes(taskState);
    if (!ours) active.get(runId)?.signals.interrupt('cancelled');
  }
}
