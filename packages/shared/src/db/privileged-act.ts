/** The chained list of every use of a privilege (a token minted, a token revoked), across all tasks. */
import type { Queryable } from './pool.ts';

/** Appends one act. Sequence, process, time and hash are computed by the database. Returns the sequence number. */
export async function appendPrivilegedAct(
  db: Queryable,
  kind: string,
  taskId: string | null,
  data: Record<string, unknown>,
): Promise<number> {
  const { rows } = await db.query<{ seq: string }>(
    'select privileged_append($1, $2, $3)::text as seq',
    [kind, taskId, data],
  );
  return Number(rows[0]?.seq);
}
