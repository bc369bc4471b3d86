/**
 * Claims the next run that waits for a launcher. Two launchers that ask at once get two different runs, or one of them
 * gets none; a halt is looked at freshly before anything is claimed.
 */
import { claimLease, pickWaitingRun, type Lease } from '@sallyport/shared/db/lease';
import { inTransaction, type Pool } from '@sallyport/shared/db/pool';
import type { HaltGuard } from '@sallyport/shared/halt/guard';

export interface ClaimedRun {
  lease: Lease;
  taskId: string;
  repositoryId: number;
}

/**
 * Claims a run, that of `taskId` when one is given; null when none waits.
 * @throws AppError `halted` when a halt was set between looking and claiming.
 */
export async function claimRun(options: {
  db: Pool;
  halt: Pick<HaltGuard, 'assertClear'>;
  holder: string;
  leaseSeconds: number;
  taskId: string | null;
}): Promise<ClaimedRun | null> {
  const { db, halt, holder, leaseSeconds } = options;
  return inTransaction(db, async (tx) => {
    const waiting = await pickWaitingRun(tx, options.taskId);
    if (waiting === null) return null;
    await halt.assertClear(waiting.repositoryId);
    const lease = await claimLease(tx, waiting.runId, holder, leaseSeconds);
    if (lease === null) return null;
    return { lease, taskId: waiting.taskId, repositoryId: waiting.repositoryId };
  });
}
