/** The halt as Postgres knows it: one active row per scope at most. */
import type { Queryable } from './pool.ts';

export type HaltLevel = 'drain' | 'stop';
export interface HaltRow {
  scope: string;
  level: HaltLevel;
  reason: string;
  by: string;
  since: Date;
}
export interface HaltState {
  /** Grows with every set and every lift; what a process reports as acted upon. */
  version: number;
  halts: HaltRow[];
}

export async function readHalt(db: Queryable): Promise<HaltState> {
  const { rows } = await db.query<{
    version: string;
    halts: (Omit<HaltRow, 'since'> & { since: string })[] | null;
  }>(
    `select coalesce(max(version), 0)::text as version,
       json_agg(json_build_object('scope', scope, 'level', level, 'reason', reason, 'by', set_by, 'since', set_at)
         order by scope) filter (where lifted_at is null) as halts
     from halt`,
  );
  const row = rows[0];
  return {
    version: Number(row?.version ?? 0),
    halts: (row?.halts ?? []).map((halt) => ({ ...halt, since: new Date(halt.since) })),
  };
}

/** Sets or sharpens the halt of a scope; the version that processes must have seen for it to be in force everywhere. */
export async function setHalt(
  db: Queryable,
  scope: string,
  level: HaltLevel,
  reason: string,
  by: string,
): Promise<number> {
  const { rows } = await db.query<{ version: string }>(
    'select halt_set($1, $2, $3, $4)::text as version',
    [scope, level, reason, by],
  );
  return Number(rows[0]?.version);
}

/** Lifts the halt of a scope; false when there was none. */
export async function liftHalt(db: Queryable, scope: string, by: string): Promise<boolean> {
  const { rows } = await db.query<{ lifted: boolean }>('select halt_lift($1, $2) as lifted', [
    scope,
    by,
  ]);
  return rows[0]?.lifted ?? false;
}

/** When a halt that covered this repository was last lifted; null when none ever was. */
export async function lastLiftedAt(db: Queryable, repositoryId: number): Promise<Date | null> {
  const { rows } = await db.query<{ at: Date | null }>(
    `select max(lifted_at) as at from halt where scope = 'all' or scope = $1`,
    [`repo:${repositoryId}`],
  );
  return rows[0]?.at ?? null;
}
