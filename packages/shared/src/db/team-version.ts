/** Teams as they were when a task was admitted, by their hash. */
import type { Queryable } from './pool.ts';

/** The content stored under a hash, unchecked; null when there is none. */
export async function findTeamVersion(db: Queryable, hash: string): Promise<unknown> {
  const { rows } = await db.query<{ content: unknown }>(
    'select content from team_version where hash = $1',
    [hash],
  );
  return rows[0]?.content ?? null;
}
