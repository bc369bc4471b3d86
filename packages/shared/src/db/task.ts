/** Tasks and runs: reading them, and moving them by compare-and-set through the functions that know who may. */
import type { Act } from '../task/acts.ts';
import type { RunState, TaskState } from '../task/states.ts';
import type { Queryable } from './pool.ts';

export interface TaskRow {
  id: string;
  deliveryId: string;
  installationId: number;
  repositoryId: number;
  subjectKind: 'issue' | 'pull_request';
  subjectNumber: number;
  verb: string;
  act: Act;
  team: string;
  requesterId: number;
  requesterLogin: string;
  commentId: number | null;
  branch: string | null;
  state: TaskState;
  stateReason: string | null;
  createdAt: Date;
  movedAt: Date;
}

const TASK_COLUMNS = `id, delivery_id as "deliveryId", installation_id::float8 as "installationId",
  repository_id::float8 as "repositoryId", subject_kind as "subjectKind", subject_number as "subjectNumber", verb, act, team,
  requester_id::float8 as "requesterId", requester_login as "requesterLogin", comment_id::float8 as "commentId", branch,
  state, state_reason as "stateReason", created_at as "createdAt", moved_at as "movedAt"`;

export async function findTask(db: Queryable, id: string): Promise<TaskRow | null> {
  const { rows } = await db.query<TaskRow>(`select ${TASK_COLUMNS} from task where id = $1`, [id]);
  return rows[0] ?? null;
}

/** Tasks in one of these states whose last move lies at least so many seconds back, oldest first: what a sweep looks at. */
export async function listTasksIn(
  db: Queryable,
  states: readonly TaskState[],
  idleSeconds: number,
  limit = 100,
): Promise<TaskRow[]> {
  const { rows } = await db.query<TaskRow>(
    `select ${TASK_COLUMNS} from task
     where state = any($1) and moved_at <= now() - $2 * interval '1 second' order by moved_at limit $3`,
    [states, idleSeconds, limit],
  );
  return rows;
}

/** Moves a task by compare-and-set. False: it is no longer in `from`; look again. Throws when this process may not. */
export async function moveTask(
  db: Queryable,
  id: string,
  from: TaskState,
  to: TaskState,
  reason: string | null = null,
): Promise<boolean> {
  const { rows } = await db.query<{ moved: boolean }>('select task_move($1, $2, $3, $4) as moved', [
    id,
    from,
    to,
    reason,
  ]);
  return rows[0]?.moved ?? false;
}

export interface RunRow {
  id: string;
  taskId: string;
  number: number;
  state: RunState;
  stateReason: string | null;
  sourceRequestId: string | null;
  sourceArtifactId: string | null;
  bundleArtifactId: string | null;
  headOid: string | null;
  treeOid: string | null;
  movedAt: Date;
}

const RUN_COLUMNS = `id, task_id as "taskId", number, state, state_reason as "stateReason",
  source_request_id as "sourceRequestId", source_artifact_id as "sourceArtifactId", bundle_artifact_id as "bundleArtifactId", head_oid as "headOid",
  tree_oid as "treeOid", moved_at as "movedAt"`;

export async function findRun(db: Queryable, id: string): Promise<RunRow | null> {
  const { rows } = await db.query<RunRow>(`select ${RUN_COLUMNS} from run where id = $1`, [id]);
  return rows[0] ?? null;
}

/** The run that a task is at: the one with the highest number. */
export async function findCurrentRun(db: Queryable, taskId: string): Promise<RunRow | null> {
  const { rows } = await db.query<RunRow>(
    `select ${RUN_COLUMNS} from run where task_id = $1 order by number desc limit 1`,
    [taskId],
  );
  return rows[0] ?? null;
}

/** Moves a run by compare-and-set; a launcher passes the fencing number of the lease it holds, and fails without it. */
export async function moveRun(
  db: Queryable,
  id: string,
  from: RunState,
  to: RunState,
  options: { reason?: string; fence?: number } = {},
): Promise<boolean> {
  const { rows } = await db.query<{ moved: boolean }>(
    'select run_move($1, $2, $3, $4, $5) as moved',
    [id, from, to, options.reason ?? null, options.fence ?? null],
  );
  return rows[0]?.moved ?? false;
}
