/** Rows that become queue jobs. Written in the transaction that causes them, so that a message exists if and only if its cause does. */
import type { QueueData, QueueName } from '../queue/contracts.ts';
import type { Queryable, Transaction } from './pool.ts';

export interface OutboxRow {
  id: string;
  queue: QueueName;
  data: unknown;
  attempts: number;
}

/** Adds a message to the sender's own outbox. */
export async function enqueue<Q extends QueueName>(
  tx: Transaction | Queryable,
  queue: Q,
  data: QueueData<Q>,
): Promise<void> {
  await tx.query('insert into outbox (queue, data) values ($1, $2)', [queue, data]);
}

/** Locks up to `limit` due rows of this process; rows that another forwarder holds are passed over. */
export async function claimDue(tx: Transaction, limit: number): Promise<OutboxRow[]> {
  const { rows } = await tx.query<OutboxRow>(
    `select id::text, queue, data, attempts from outbox
     where process = session_process() and sent_at is null and next_at <= now()
     order by id limit $1 for update skip locked`,
    [limit],
  );
  return rows;
}

export async function markSent(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query(
    'update outbox set sent_at = now(), attempts = attempts + 1 where id = any($1::bigint[])',
    [ids],
  );
}

/** Puts rows off after a failed hand-over: 0.25 s doubling to 30 s, so that they are tried again for ever. */
export async function putOff(tx: Queryable, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update outbox set attempts = attempts + 1,
       next_at = now() + least(0.25 * power(2, least(attempts, 10)), 30) * interval '1 second'
     where id = any($1::bigint[])`,
    [ids],
  );
}

/** Forgets rows that were handed over longer ago than the sweeps look back. */
export async function deleteSent(db: Queryable, olderThanSeconds: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from outbox where sent_at < now() - $1 * interval '1 second' and process = session_process()`,
    [olderThanSeconds],
  );
  return rowCount ?? 0;
}
