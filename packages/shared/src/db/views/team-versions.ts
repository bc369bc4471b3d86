/** The teams that tasks were admitted with, for whoever looks at them. */
import type { Queryable } from '../pool.ts';

export interface TeamVersion {
  /** SHA-256 of the team's canonical JSON. */
  hash: string;
  name: string;
  /** The team, unchecked. */
  content: unknown;
  /** When the first task was admitted with it. */
  keptAt: Date;
}

/** The latest first. */
export async function listTeamVersions(db: Queryable, limit: number): Promise<TeamVersion[]> {
  const { rows } = await db.query<TeamVersion>(
    'select hash, name, content, created_at as "keptAt" from team_version order by created_at desc, hash limit $1',
    [limit],
  );
  return rows;
}
