/** Writes the closed lists of the code (arrows, events, kinds, queues, roles) where the database's guards read them. */
import { ARTIFACT_KINDS } from '../artifacts/kinds.ts';
import { PROCESSES, roleName } from '../processes.ts';
import { QUEUE_ROLES } from '../queue/contracts.ts';
import { GITHUB_REQUESTS } from '../task/github-requests.ts';
import { RUN_TRANSITIONS, TASK_TRANSITIONS } from '../task/states.ts';
import { TIMELINE_KINDS } from '../timeline/kinds.ts';
import type { Queryable } from './pool.ts';

/** Replaces all registry rows. Runs inside the caller's transaction, as the schema's owner. */
export async function syncRegistries(db: Queryable, deployment: string): Promise<void> {
  await replace(
    db,
    'db_role',
    ['role_name', 'process'],
    PROCESSES.map((p) => [roleName(deployment, p), p]),
  );
  await replace(
    db,
    'queue_producer',
    ['queue', 'process'],
    Object.entries(QUEUE_ROLES).flatMap(([queue, { producers }]) =>
      producers.map((p) => [queue, p]),
    ),
  );
  await replace(
    db,
    'github_request_kind',
    ['kind', 'process'],
    Object.entries(GITHUB_REQUESTS).flatMap(([kind, { askedBy }]) => askedBy.map((p) => [kind, p])),
  );
  await replace(
    db,
    'timeline_kind',
    ['kind', 'process'],
    Object.entries(TIMELINE_KINDS).flatMap(([kind, by]) => by.map((p) => [kind, p])),
  );
  await replace(
    db,
    'task_transition',
    ['from_state', 'to_state', 'process'],
    TASK_TRANSITIONS.map((t) => [t.from, t.to, t.by]),
  );
  await replace(
    db,
    'run_transition',
    ['from_state', 'to_state', 'process'],
    RUN_TRANSITIONS.map((t) => [t.from, t.to, t.by]),
  );
  for (const [kind, spec] of Object.entries(ARTIFACT_KINDS)) {
    await db.query(
      `insert into artifact_kind (kind, writer, readers, max_bytes) values ($1, $2, $3, $4)
       on conflict (kind) do update set writer = excluded.writer, readers = excluded.readers, max_bytes = excluded.max_bytes`,
      [kind, spec.writer, spec.readers, spec.maxBytes],
    );
  }
}

async function replace(
  db: Queryable,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  await db.query(`delete from ${table}`);
  const places = rows.map(
    (row, r) => `(${row.map((_, c) => `$${r * columns.length + c + 1}`).join(', ')})`,
  );
  await db.query(
    `insert into ${table} (${columns.join(', ')}) values ${places.join(', ')}`,
    rows.flat(),
  );
}
