/** Tasks as an operator reads them: with the names that people know, and with what came of them. */
import { TASK_STATES, type TaskState } from '../../task/states.ts';
import type { Queryable } from '../pool.ts';

export interface TaskView {
  id: string;
  state: TaskState;
  reason: string | null;
  repository: string;
  number: number;
  verb: string;
  requester: string;
  branch: string | null;
  pullNumber: number | null;
  pullUrl: string | null;
  baseSha: string | null;
  headSha: string | null;
  createdAt: Date;
  movedAt: Date;
}

const VIEW = `
  select t.id, t.state, t.state_reason as reason, r.owner || '/' || r.name as repository, t.subject_number as number,
    t.verb, t.requester_login as requester, t.branch, p.pull_number as "pullNumber", p.pull_url as "pullUrl",
    p.base_sha as "baseSha", p.head_sha as "headSha", t.created_at as "createdAt", t.moved_at as "movedAt"
  from task t join repository r on r.id = t.repository_id left join publication p on p.task_id = t.id`;

const WAITING_STATES: readonly TaskState[] = ['awaiting_approval', 'held'];

/** The newest tasks, of one state if it is given; with `waiting` only those that wait for a human, the longest waiting first. */
export async function listTasks(
  db: Queryable,
  options: { waiting?: boolean; state?: TaskState; limit?: number } = {},
): Promise<TaskView[]> {
  const possible = options.waiting === true ? WAITING_STATES : TASK_STATES;
  const states = possible.filter((state) => options.state === undefined || state === options.state);
  const order = options.waiting === true ? 't.moved_at' : 't.created_at desc';
  const { rows } = await db.query<TaskView>(
    `${VIEW} where t.state = any ($1) order by ${order} limit $2`,
    [states, options.limit ?? 100],
  );
  return rows;
}

/** One task, or null. */
export async function findTaskView(db: Queryable, id: string): Promise<TaskView | null> {
  const { rows } = await db.query<TaskView>(`${VIEW} where t.id = $1`, [id]);
  return rows[0] ?? null;
}

/** The task whose id is this, or begins with it. Null: none, or more than one. */
export async function findTaskByPrefix(db: Queryable, prefix: string): Promise<TaskView | null> {
  if (!/^[0-9a-f-]{4,36}$/.test(prefix)) return null;
  const { rows } = await db.query<TaskView>(`${VIEW} where t.id::text like $1 || '%' limit 2`, [
    prefix,
  ]);
  return rows.length === 1 ? (rows[0] ?? null) : null;
}
