/** Messages that are committed but not yet in Redis, by the process that owes them. Needs the console's or operator's role. */
import type { Queryable } from './pool.ts';

export interface OutboxBacklog {
  process: string;
  rows: number;
  oldestSeconds: number;
}

export async function readOutboxBacklog(db: Queryable): Promise<OutboxBacklog[]> {
  const { rows } = await db.query<OutboxBacklog>(
    `select process, count(*)::int as rows, extract(epoch from now() - min(created_at))::int as "oldestSeconds"
     from outbox where sent_at is null group by process order by process`,
  );
  return rows;
}
