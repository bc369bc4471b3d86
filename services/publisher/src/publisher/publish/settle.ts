/** The ends of a judgement, each with its evidence in one transaction: verdict, timeline and the task's move. */
import { newId } from '@sallyport/shared/ids';
import { inTransaction, type Transaction } from '@sallyport/shared/db/pool';
import { moveTask, type RunRow, type TaskRow } from '@sallyport/shared/db/task';
import { appendEvent } from '@sallyport/shared/db/timeline';
import { insertVerdict } from '@sallyport/shared/db/verdict';
import type { TaskState } from '@sallyport/shared/task/states';
import type { PublisherContext } from '../context.ts';
import type { Case } from './case.ts';
import type { BaseInspection } from './inspect-base.ts';
import type { Judged } from './judge.ts';
import type { Stop } from './stop.ts';

const MAX_SHOWN_FINDINGS = 50;

/** Records that the change may leave, unless a verdict stands already. */
export async function recordPublishVerdict(
  one: Case,
  judged: Judged,
  base: BaseInspection,
): Promise<void> {
  await inTransaction(one.context.db, async (tx) => {
    const message = 'No rule objects, and the base is protected.';
    await giveVerdict(tx, one, { decision: 'publish', reason: 'publish', message }, judged, base);
  });
}

/** Moves the task to where the stop belongs, with the verdict. False: somebody else moved it. */
export async function settleStop(
  one: Case,
  stop: Stop,
  judged: Judged | null,
  base: BaseInspection | null,
): Promise<boolean> {
  const to: TaskState = stop.decision === 'hold' ? 'held' : 'rejected';
  return inTransaction(one.context.db, async (tx) => {
    if (!(await moveTask(tx, one.task.id, 'judging', to, stop.reason))) return false;
    await one.canaries.record(tx, one.task.id, one.run.id);
    await giveVerdict(tx, one, stop, judged, base);
    if (to === 'rejected')
      await appendEvent(tx, one.task.id, 'task_ended', { state: to, reason: stop.reason });
    return true;
  });
}

async function giveVerdict(
  tx: Transaction,
  one: Case,
  said: { decision: 'publish' | 'hold' | 'reject'; reason: string; message: string },
  judged: Judged | null,
  base: BaseInspection | null,
): Promise<void> {
  const protection = base?.protection ?? null;
  const tree = judged?.tree ?? null;
  const isNew = await insertVerdict(tx, {
    id: newId(),
    runId: one.run.id,
    decision: said.decision,
    reasons: {
      rule: 'verdict',
      result: said.decision,
      reason: said.reason,
      message: said.message,
      protection,
      children: judged === null ? [] : [judged.verdict.reasons],
    },
    policyHash: one.claims.policy_hash,
    treeOid: tree,
  });
  // A publication that is picked up again gives the same verdict; only another decision is news.
  if (!isNew && said.decision === 'publish') return;
  await appendEvent(tx, one.task.id, 'verdict_given', {
    runId: one.run.id,
    decision: said.decision,
    reason: said.reason,
    message: said.message,
    tree,
    protection,
    policyHash: one.claims.policy_hash,
    findings: (judged?.verdict.findings ?? []).slice(0, MAX_SHOWN_FINDINGS).map((finding) => ({
      rule: finding.rule,
      code: finding.code,
      severity: finding.severity,
      path: finding.path,
      line: finding.line,
      reason: finding.reason,
    })),
  });
}

/** Ends a task whose ticket permits nothing: no verdict, because nothing was judged. */
export async function settleRefusedTicket(
  context: PublisherContext,
  task: TaskRow,
  run: RunRow,
  why: string,
): Promise<void> {
  await inTransaction(context.db, async (tx) => {
    const reason = `ticket_${why}`;
    if (
      task.state === 'collected' &&
      !(await moveTask(tx, task.id, 'collected', 'judging', reason))
    )
      return;
    if (!(await moveTask(tx, task.id, 'judging', 'rejected', reason))) return;
    await appendEvent(tx, task.id, 'ticket_refused', { runId: run.id, why, use: 'publish' });
    await appendEvent(tx, task.id, 'task_ended', { state: 'rejected', reason });
  });
}
