/** Everything that is known of a task besides its own row. */
import type { Queryable } from '@sallyport/shared/db/pool';

export interface TaskDetails {
  assessments: { decision: string; reasons: unknown; assessedAt: Date }[];
  runs: { id: string; number: number; state: string; reason: string | null }[];
  steps: {
    node: string;
    visit: number;
    attempt: number;
    readOnly: boolean;
    state: string;
    startedAt: Date;
    endedAt: Date | null;
    exit: unknown;
  }[];
  verdict: { decision: string; reasons: unknown; givenAt: Date } | null;
}

export async function readTaskDetails(db: Queryable, taskId: string): Promise<TaskDetails> {
  const [assessments, runs, steps, verdicts] = await Promise.all([
    db.query<TaskDetails['assessments'][number]>(
      'select decision, reasons, assessed_at as "assessedAt" from assessment where task_id = $1 order by assessed_at',
      [taskId],
    ),
    db.query<TaskDetails['runs'][number]>(
      'select id, number, state, state_reason as reason from run where task_id = $1 order by number',
      [taskId],
    ),
    db.query<TaskDetails['steps'][number]>(
      `select s.node, s.visit, s.attempt, s.read_only as "readOnly", s.state, s.started_at as "startedAt",
         s.ended_at as "endedAt", s.exit
       from step s join run r on r.id = s.run_id where r.task_id = $1 order by s.started_at`,
      [taskId],
    ),
    db.query<NonNullable<TaskDetails['verdict']>>(
      `select v.decision, v.reasons, v.given_at as "givenAt"
       from verdict v join run r on r.id = v.run_id where r.task_id = $1 order by v.given_at desc limit 1`,
      [taskId],
    ),
  ]);
  return {
    assessments: assessments.rows,
    runs: runs.rows,
    steps: steps.rows,
    verdict: verdicts.rows[0] ?? null,
  };
}
