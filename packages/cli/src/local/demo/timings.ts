/** How long a task took from the accepted delivery to the open pull request, and whose time that was. */
import type { Queryable } from '@sallyport/shared/db/pool';

export interface Timings {
  /** Everything that is neither the agent's nor GitHub's. */
  readonly ownMs: number;
  readonly agentMs: number;
  /** What GitHub (here: its stand-in) took to answer. */
  readonly githubMs: number;
  readonly totalMs: number;
}

/** `githubMs` is measured by whoever plays GitHub; the rest is read from the record. */
export async function readTimings(
  db: Queryable,
  taskId: string,
  githubMs: number,
): Promise<Timings> {
  const { rows } = await db.query<{ totalMs: number; agentMs: number }>(
    `select extract(epoch from p.opened_at - d.received_at)::float8 * 1000 as "totalMs",
       coalesce((select sum((s.exit ->> 'durationMs')::float8) from step s join run r on r.id = s.run_id
         where r.task_id = t.id), 0) as "agentMs"
     from task t join delivery d on d.id = t.delivery_id join publication p on p.task_id = t.id where t.id = $1`,
    [taskId],
  );
  const { totalMs = 0, agentMs = 0 } = rows[0] ?? {};
  const rounded = {
    agentMs: Math.round(agentMs),
    githubMs: Math.round(githubMs),
    totalMs: Math.round(totalMs),
  };
  return { ...rounded, ownMs: rounded.totalMs - rounded.agentMs - rounded.githubMs };
}
