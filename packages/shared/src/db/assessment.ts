/** The gate's findings on a task. A task that is assessed again gets another row; none is changed. */
import { newId } from '../ids.ts';
import type { Queryable } from './pool.ts';
import { storableJson } from './storable-json.ts';

/** Stores one assessment: the decision and the reasons it rests on, as JSON. */
export async function insertAssessment(
  db: Queryable,
  assessment: {
    taskId: string;
    decision: 'admit' | 'hold' | 'refuse';
    reasons: readonly unknown[];
  },
): Promise<void> {
  await db.query(
    'insert into assessment (id, task_id, decision, reasons) values ($1, $2, $3, $4)',
    [newId(), assessment.taskId, assessment.decision, storableJson(assessment.reasons)],
  );
}
