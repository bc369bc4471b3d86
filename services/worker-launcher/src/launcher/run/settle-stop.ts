/** Writes down why the work on a run came to an end before its bundle: one transaction under the lease for each way. */
import { enqueue } from '@sallyport/shared/db/outbox';
import { inLeasedTransaction } from '@sallyport/shared/db/lease';
import { findRun, findTask, moveRun, moveTask } from '@sallyport/shared/db/task';
import { appendEvent } from '@sallyport/shared/db/timeline';
import type { Transaction } from '@sallyport/shared/db/pool';
import type { RunStop } from './run-stop.ts';
import { storableText } from './storable.ts';
import type { RunWork } from './work.ts';

/** Moves run and task to where the stop leads. Does nothing when they have been moved elsewhere meanwhile. */
export async function settleStop(work: RunWork, stop: RunStop): Promise<void> {
  const { db, lease } = work;
  switch (stop.kind) {
    case 'suspended':
      return inLeasedTransaction(db, lease, (tx) => suspend(tx, work, stop));
    case 'failed':
      return inLeasedTransaction(db, lease, (tx) => fail(tx, work, stop));
    case 'refused':
      return inLeasedTransaction(db, lease, (tx) => refuse(tx, work, stop.why));
    case 'cancelled':
    case 'lease_lost':
    case 'later':
      return;
  }
}

async function suspend(
  tx: Transaction,
  work: RunWork,
  stop: Extract<RunStop, { kind: 'suspended' }>,
): Promise<void> {
  const { lease, taskId } = work;
  const { reason } = stop;
  const moved = await moveRun(tx, lease.runId, 'running', 'suspended', {
    reason,
    fence: lease.fence,
  });
  if (moved) {
    const message = storableText(stop.message);
    await appendEvent(tx, taskId, 'run_suspended', { runId: lease.runId, reason, message });
  }
  // Another launcher can go on at once; after a halt there is nobody to call, the release is seen by all.
  if (reason === 'launcher_stopping') await enqueue(tx, 'work', { v: 1, taskId });
}

async function fail(
  tx: Transaction,
  work: RunWork,
  stop: Extract<RunStop, { kind: 'failed' }>,
): Promise<void> {
  const { lease, taskId } = work;
  const { reason } = stop;
  const task = await findTask(tx, taskId);
  if (task?.state === 'admitted') await moveTask(tx, taskId, 'admitted', 'running');
  await endRun(tx, work, reason);
  if (!(await moveTask(tx, taskId, 'running', 'failed', reason))) return;
  const message = storableText(stop.message).slice(0, 2_000);
  await appendEvent(tx, taskId, 'task_ended', {
    runId: lease.runId,
    state: 'failed',
    reason,
    message,
  });
}

async function refuse(tx: Transaction, work: RunWork, why: string): Promise<void> {
  const { lease, taskId } = work;
  const reason = `ticket_${why}`;
  await endRun(tx, work, reason);
  await appendEvent(tx, taskId, 'ticket_refused', { runId: lease.runId, why });
  const task = await findTask(tx, taskId);
  if (task?.state !== 'admitted' && task?.state !== 'running') return;
  if (!(await moveTask(tx, taskId, task.state, 'refused', reason))) return;
  await appendEvent(tx, taskId, 'task_ended', { runId: lease.runId, state: 'refused', reason });
}

async function endRun(tx: Transaction, { lease }: RunWork, reason: string): Promise<void> {
  const run = await findRun(tx, lease.runId);
  if (run?.state !== 'pending' && run?.state !== 'running' && run?.state !== 'suspended') return;
  await moveRun(tx, lease.runId, run.state, 'failed', { reason, fence: lease.fence });
}
