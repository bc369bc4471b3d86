/**
 * Takes away stored bytes that were meant to expire, so that the database does not grow with every task. What a task that is
 * not over may still need stays, however long a halt or an approval keeps it waiting.
 */
import type { Queryable } from '../db/pool.ts';
import { isEnd, TASK_STATES } from '../task/states.ts';

const STATES_AT_WORK = TASK_STATES.filter((state) => !isEnd(state));

/** Deletes up to `limit` expired artifacts of this process; how many there were. The database deletes no others. */
export async function dropExpiredArtifacts(db: Queryable, limit = 20): Promise<number> {
  const { rowCount } = await db.query(
    `delete from artifact where id in (
       select a.id from artifact a
       where a.process = session_process() and a.expires_at <= now()
         and not exists (select 1 from task t where t.id = a.task_id and t.state = any($1))
       order by a.expires_at limit $2)`,
    [STATES_AT_WORK, limit],
  );
  return rowCount ?? 0;
}
