/** Installations of the App, as last heard of. */
import type { Queryable } from './pool.ts';

export type InstallationState = 'active' | 'suspended' | 'deleted';

/** Notes in which state GitHub says an installation is; one that is not known here is left alone. */
export async function setInstallationState(
  db: Queryable,
  id: number,
  state: InstallationState,
): Promise<void> {
  await db.query(
    'update installation set state = $2, updated_at = now() where id = $1 and state <> $2',
    [id, state],
  );
}

/** Makes an installation known, or renews the account that it belongs to; its state is left as it is. */
export async function upsertInstallation(
  db: Queryable,
  id: number,
  account: string,
): Promise<void> {
  await db.query(
    `insert into installation as i (id, account) values ($1, $2)
     on conflict (id) do update set account = excluded.account, updated_at = now()
     where i.account is distinct from excluded.account`,
    [id, account],
  );
}
