/** The ends that the gate gives to a task: refused, with its reasons told on the issue, or expired. */
import { crashPoint } from '@sallyport/shared/crash-point';
import { ask } from '@sallyport/shared/db/github-request';
import { insertAssessment } from '@sallyport/shared/db/assessment';
import { inTransaction, type Transaction } from '@sallyport/shared/db/pool';
import { moveTask, type TaskRow } from '@sallyport/shared/db/task';
import { appendEvent } from '@sallyport/shared/db/timeline';
import type { Gate } from '../gate.ts';
import { explainRefusal, leadingRule, type Reason } from './decide.ts';

/** Refuses a task, with an assessment and a comment; false when it has moved on meanwhile. */
export async function refuseTask(
  gate: Gate,
  task: TaskRow,
  reasons: readonly Reason[],
): Promise<boolean> {
  const rule = leadingRule(reasons);
  const done = await inTransaction(gate.db, async (tx) => {
    if (!(await moveTask(tx, task.id, task.state, 'refused', rule))) return false;
    await insertAssessment(tx, { taskId: task.id, decision: 'refuse', reasons });
    await appendEvent(tx, task.id, 'task_assessed', { decision: 'refuse', reasons });
    await appendEvent(tx, task.id, 'task_ended', { state: 'refused', reason: rule });
    await tellRequester(tx, task, explainRefusal(reasons));
    return true;
  });
  crashPoint('gate:refused_not_forwarded');
  if (done) gate.log.info({ taskId: task.id, rule }, 'task refused');
  return done;
}

/** Ends a task whose questions were not answered in time; false when it has moved on meanwhile. */
export async function expireTask(gate: Gate, task: TaskRow): Promise<boolean> {
  const reason = 'assessment_timeout';
  const done = await inTransaction(gate.db, async (tx) => {
    if (!(await moveTask(tx, task.id, task.state, 'expired', reason))) return false;
    await appendEvent(tx, task.id, 'task_ended', { state: 'expired', reason });
    await tellRequester(
      tx,
      task,
      'GitHub could not be asked in time about this request; ask again',
    );
    return true;
  });
  if (done) gate.log.warn({ taskId: task.id }, 'task expired');
  return done;
}

async function tellRequester(tx: Transaction, task: TaskRow, reason: string): Promise<void> {
  await ask(tx, {
    kind: 'comment',
    taskId: task.id,
    installationId: task.installationId,
    repositoryId: task.repositoryId,
    params: {
      number: task.subjectNumber,
      template: 'refused',
      values: { login: task.requesterLogin, reason },
    },
  });
}
