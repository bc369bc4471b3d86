/** Which processes are alive and which version of the halt each has acted upon. */
import type { Queryable } from './pool.ts';

export interface Presence {
  instance: string;
  process: string;
  host: string;
  startedAt: Date;
  beatAt: Date;
  haltVersion: number;
  /** Beaten within the last ten seconds and not said goodbye. */
  alive: boolean;
}

export async function appear(db: Queryable, instance: string, host: string): Promise<void> {
  await db.query('insert into presence (instance, host) values ($1, $2)', [instance, host]);
}

export async function beat(db: Queryable, instance: string, haltVersion: number): Promise<void> {
  await db.query(
    'update presence set beat_at = now(), halt_version = greatest(halt_version, $2) where instance = $1',
    [instance, haltVersion],
  );
}

export async function disappear(db: Queryable, instance: string): Promise<void> {
  await db.query('update presence set stopped_at = now() where instance = $1', [instance]);
}

/** Every instance that has beaten within the last hour. */
export async function listPresence(db: Queryable): Promise<Presence[]> {
  const { rows } = await db.query<{
    instance: string;
    process: string;
    host: string;
    startedAt: Date;
    beatAt: Date;
    haltVersion: string;
    alive: boolean;
  }>(
    `select instance, process, host, started_at as "startedAt", beat_at as "beatAt", halt_version::text as "haltVersion",
       (stopped_at is null and beat_at > now() - interval '10 seconds') as alive
     from presence where beat_at > now() - interval '1 hour' order by process, started_at`,
  );
  return rows.map((row) => ({ ...row, haltVersion: Number(row.haltVersion) }));
}
