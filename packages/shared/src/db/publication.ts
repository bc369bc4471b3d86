/** What a task put on GitHub, and how far the putting has come. Each step is recorded once and never taken back. */
import type { Act } from '../task/acts.ts';
import { isPgError, PG_ERRORS, type Queryable } from './pool.ts';

export interface PublicationRow {
  taskId: string;
  runId: string;
  kind: Act;
  branch: string | null;
  baseRef: string;
  baseSha: string;
  headSha: string | null;
  treeOid: string | null;
  pullNumber: number | null;
  pullUrl: string | null;
  commentId: number | null;
  pushedAt: Date | null;
  openedAt: Date | null;
  commentedAt: Date | null;
}

/** The request that a publication answers: a comment of a repository. */
export interface AnsweredRequest {
  repositoryId: number;
  triggerId: number;
}

const COLUMNS = `task_id as "taskId", run_id as "runId", kind, branch, base_ref as "baseRef", base_sha as "baseSha",
  head_sha as "headSha", tree_oid as "treeOid", pull_number as "pullNumber", pull_url as "pullUrl",
  comment_id::float8 as "commentId", pushed_at as "pushedAt", opened_at as "openedAt", commented_at as "commentedAt"`;

export async function findPublication(
  db: Queryable,
  taskId: string,
): Promise<PublicationRow | null> {
  const { rows } = await db.query<PublicationRow>(
    `select ${COLUMNS} from publication where task_id = $1`,
    [taskId],
  );
  return rows[0] ?? null;
}

/**
 * Makes the row of a publication that is about to begin; one of an earlier run that pushed nothing is taken over.
 * Returns the row as it stands, or null when another task has answered the same request.
 */
export async function beginPublication(
  db: Queryable,
  begun: Pick<
    PublicationRow,
    'taskId' | 'runId' | 'kind' | 'branch' | 'baseRef' | 'baseSha' | 'treeOid'
  > &
    AnsweredRequest,
): Promise<PublicationRow | null> {
  const result = await insertPublication(db, begun).catch((error: unknown) => {
    if (isPgError(error, PG_ERRORS.uniqueViolation)) return null;
    throw error;
  });
  if (result === null) return null;
  const [row] = result.rows;
  if (row === undefined) throw new Error('a publication that was just made is not readable');
  return row;
}

function insertPublication(
  db: Queryable,
  begun: Parameters<typeof beginPublication>[1],
): Promise<{ rows: PublicationRow[] }> {
  return db.query<PublicationRow>(
    `insert into publication as p (task_id, run_id, kind, branch, base_ref, base_sha, tree_oid, repository_id, trigger_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (task_id) do update
       set run_id = case when p.pushed_at is null then excluded.run_id else p.run_id end,
           tree_oid = case when p.pushed_at is null then excluded.tree_oid else p.tree_oid end
     returning ${COLUMNS}`,
    [
      begun.taskId,
      begun.runId,
      begun.kind,
      begun.branch,
      begun.baseRef,
      begun.baseSha,
      begun.treeOid,
      begun.repositoryId,
      begun.triggerId,
    ],
  );
}

/** Records the pushed commit. False: it was recorded before. */
export async function recordPushed(
  db: Queryable,
  taskId: string,
  headSha: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'update publication set head_sha = $2, pushed_at = now() where task_id = $1 and pushed_at is null',
    [taskId, headSha],
  );
  return rowCount === 1;
}

/** Records the pull request. False: it was recorded before. */
export async function recordOpened(
  db: Queryable,
  taskId: string,
  pull: { number: number; url: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update publication set pull_number = $2, pull_url = $3, opened_at = now()
     where task_id = $1 and opened_at is null`,
    [taskId, pull.number, pull.url],
  );
  return rowCount === 1;
}

/** Records the comment that tells of the publication. False: it was recorded before. */
export async function recordCommented(
  db: Queryable,
  taskId: string,
  commentId: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'update publication set comment_id = $2, commented_at = now() where task_id = $1 and commented_at is null',
    [taskId, commentId],
  );
  return rowCount === 1;
}
