/** Repositories by the id that survives renames. */
import type { Queryable } from './pool.ts';

export interface RepositoryRow {
  id: number;
  installationId: number;
  owner: string;
  name: string;
}

export async function findRepository(db: Queryable, id: number): Promise<RepositoryRow | null> {
  const { rows } = await db.query<RepositoryRow>(
    'select id::float8 as id, installation_id::float8 as "installationId", owner, name from repository where id = $1',
    [id],
  );
  return rows[0] ?? null;
}

/** Makes a repository known, or renews what may change under its id: its name, its owner, the installation that covers it. */
export async function upsertRepository(db: Queryable, repository: RepositoryRow): Promise<void> {
  await db.query(
    `insert into repository as r (id, installation_id, owner, name) values ($1, $2, $3, $4)
     on conflict (id) do update
       set installation_id = excluded.installation_id, owner = excluded.owner, name = excluded.name, updated_at = now()
       where (r.installation_id, r.owner, r.name) is distinct from (excluded.installation_id, excluded.owner, excluded.name)`,
    [repository.id, repository.installationId, repository.owner, repository.name],
  );
}
