/** Everything that is known of a task besides its own row. */
import type { Queryable } from '../pool.ts';

export interface TaskDetails {
  assessments: { decision: string; reasons: unknown; assessedAt: Date }[];
  runs: { id: string; number: number; state: string; reason: string | null }[];
  steps: {
    /** Number of the run that the step belongs to. */
    run: number;
    node: string;
    visit: number;
    attempt: number;
    readOnly: boolean;
    /** What kept the step from more than it may do. */
    enforcedBy: string;
    state: string;
    startedAt: Date;
    endedAt: Date | null;
    /** The outcome that the agent claimed; null when it left none. */
    outcome: string | null;
    exit: unknown;
  }[];
  verdict: { decision: string; reasons: unknown; givenAt: Date } | null;
  publication: {
    kind: string;
    branch: string | null;
    baseRef: string;
    baseSha: string;
    headSha: string | null;
    pullNumber: number | null;
    pullUrl: string | null;
    pushedAt: Date | null;
    openedAt: Date | null;
    commentedAt: Date | null;
  } | null;
}

export async function readTaskDetails(db: Queryable, taskId: string): Promise<TaskDetails> {
  const [assessments, runs, steps, verdicts, publications] = await Promise.all([
    db.query<TaskDetails['assessments'][number]>(
      'select decision, reasons, assessed_at as "assessedAt" from assessment where task_id = $1 order by assessed_at',
      [taskId],
    ),
    db.query<TaskDetails['runs'][number]>(
      'select id, number, state, state_reason as reason from run where task_id = $1 order by number',
      [taskId],
    ),
    db.query<TaskDetails['steps'][number]>(
      `select r.number as run, s.node, s.visit, s.attempt, s.read_only as "readOnly", s.enforced_by as "enforcedBy",
         s.state, s.started_at as "startedAt", s.ended_at as "endedAt", s.hand_off ->> 'outcome' as outcome, s.exit
       from step s join run r on r.id = s.run_id where r.task_id = $1 order by s.started_at, s.id`,
      [taskId],
    ),
    db.query<NonNullable<TaskDetails['verdict']>>(
      `select v.decision, v.reasons, v.given_at as "givenAt"
       from verdict v join run r on r.id = v.run_id where r.task_id = $1 order by v.given_at desc limit 1`,
      [taskId],
    ),
    db.query<NonNullable<TaskDetails['publication']>>(
      `select kind, branch, base_ref as "baseRef", base_sha as "baseSha", head_sha as "headSha",
         pull_number as "pullNumber", pull_url as "pullUrl", pushed_at as "pushedAt", opened_at as "openedAt",
         commented_at as "commentedAt"
       from publication where task_id = $1`,
      [taskId],
    ),
  ]);
  return {
    assessments: assessments.rows,
    runs: runs.rows,
    steps: steps.rows,
    verdict: verdicts.rows[0] ?? null,
    publication: publications.rows[0] ?? null,
  };
}
