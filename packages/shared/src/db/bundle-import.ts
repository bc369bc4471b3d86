/** What the importer found in the bundles of runs, and the few facts of a run that it needs for that. */
import type { Queryable } from './pool.ts';

export interface BundleImportRow {
  runId: string;
  bundleArtifactId: string;
  ok: boolean;
  reason: string | null;
  message: string | null;
  factsArtifactId: string | null;
  packArtifactId: string | null;
}

const COLUMNS = `run_id as "runId", bundle_artifact_id as "bundleArtifactId", ok, reason, message,
  facts_artifact_id as "factsArtifactId", pack_artifact_id as "packArtifactId"`;

export async function findBundleImport(
  db: Queryable,
  runId: string,
): Promise<BundleImportRow | null> {
  const { rows } = await db.query<BundleImportRow>(
    `select ${COLUMNS} from bundle_import where run_id = $1`,
    [runId],
  );
  return rows[0] ?? null;
}

/** Stores the result of an import, once. False: another import of this run was faster, and its result stands. */
export async function insertBundleImport(db: Queryable, row: BundleImportRow): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into bundle_import (run_id, bundle_artifact_id, ok, reason, message, facts_artifact_id, pack_artifact_id)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (run_id) do nothing`,
    [
      row.runId,
      row.bundleArtifactId,
      row.ok,
      row.reason,
      row.message,
      row.factsArtifactId,
      row.packArtifactId,
    ],
  );
  return rowCount === 1;
}

/** The part of a run that the importer may read. */
export async function findRunToImport(
  db: Queryable,
  runId: string,
): Promise<{ id: string; taskId: string; bundleArtifactId: string | null } | null> {
  const { rows } = await db.query<{ id: string; taskId: string; bundleArtifactId: string | null }>(
    'select id, task_id as "taskId", bundle_artifact_id as "bundleArtifactId" from run where id = $1',
    [runId],
  );
  return rows[0] ?? null;
}

/** Whether the publisher has asked for the import of a run within the last so many seconds. */
export async function isImportAsked(
  db: Queryable,
  runId: string,
  withinSeconds: number,
): Promise<boolean> {
  const { rows } = await db.query<{ asked: boolean }>(
    `select exists (
       select 1 from outbox
       where queue = 'import' and data ->> 'runId' = $1
         and (sent_at is null or sent_at > now() - $2 * interval '1 second')) as asked`,
    [runId, withinSeconds],
  );
  return rows[0]?.asked ?? false;
}
