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

/** Keeps a team under its hash; one that is there already is the same. */
export async function keepTeamVersion(
  db: Queryable,
  team: { hash: string; name: string; content: unknown },
): Promise<void> {
  await db.query(
    'insert into team_version (hash, name, content) values ($1, $2, $3) on conflict (hash) do nothing',
    [team.hash, team.name, JSON.stringify(team.content)],
  );
}
