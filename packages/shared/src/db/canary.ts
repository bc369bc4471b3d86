/** The fake credentials that lay in sandboxes. Only the launcher, which plants them, and the publisher, which looks for them, may read them. */
import type { Lease } from './lease.ts';
import type { Queryable } from './pool.ts';

/** Where the launcher looks: hand-offs, names of changed paths, the change that the next step is given to read. */
export const LAUNCHER_SIGHTS = ['hand_off', 'path', 'patch'] as const;
export type LauncherSight = (typeof LAUNCHER_SIGHTS)[number];

export interface CanaryRow {
  stepId: string;
  node: string;
  visit: number;
  attempt: number;
  value: string;
  /** Where the launcher saw it outside its sandbox. */
  seenIn: LauncherSight[];
}

/** Notes the canary of a step that is about to start. False: the lease is lost. */
export async function plantCanary(
  db: Queryable,
  lease: Lease,
  stepId: string,
  value: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'insert into canary (step_id, value) select $3, $4 where lease_held($1, $2)',
    [lease.runId, lease.fence, stepId, value],
  );
  return rowCount === 1;
}

/** The canaries of all steps of a task, whichever run they belong to. */
export async function listCanaries(db: Queryable, taskId: string): Promise<CanaryRow[]> {
  const { rows } = await db.query<CanaryRow>(
    `select c.step_id as "stepId", s.node, s.visit, s.attempt, c.value, c.seen_in as "seenIn"
     from canary c join step s on s.id = c.step_id join run r on r.id = s.run_id
     where r.task_id = $1 order by s.started_at, s.id`,
    [taskId],
  );
  return rows;
}

/** Notes where a step's canary was seen. False: it was known, or the lease is lost. */
export async function noteCanarySeen(
  db: Queryable,
  lease: Lease,
  stepId: string,
  seenIn: LauncherSight,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update canary set seen_in = seen_in || $4
     where step_id = $3 and not (seen_in @> array[$4]) and lease_held($1, $2)`,
    [lease.runId, lease.fence, stepId, seenIn],
  );
  return rowCount === 1;
}
