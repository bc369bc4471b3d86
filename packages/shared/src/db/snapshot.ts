/** The frozen request of each task. Written once, at admission. */
import type { Queryable } from './pool.ts';

/** The bytes of a task's snapshot as stored and the hash stored beside them; whoever relies on it hashes the bytes. */
export async function findSnapshot(
  db: Queryable,
  taskId: string,
): Promise<{ content: Buffer; sha256: string } | null> {
  const { rows } = await db.query<{ content: Buffer; sha256: string }>(
    'select content, sha256 from snapshot where task_id = $1',
    [taskId],
  );
  return rows[0] ?? null;
}

/** Stores the snapshot of a task. Throws when the task has one: it is written once. */
export async function insertSnapshot(
  db: Queryable,
  snapshot: { taskId: string; content: Buffer; sha256: string },
): Promise<void> {
  await db.query('insert into snapshot (task_id, content, sha256) values ($1, $2, $3)', [
    snapshot.taskId,
    snapshot.content,
    snapshot.sha256,
  ]);
}
