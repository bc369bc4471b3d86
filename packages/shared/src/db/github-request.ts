/** Questions to GitHub: asking once, reading the answer, answering. */
import { createHash } from 'node:crypto';
import { newId } from '../ids.ts';
import {
  GITHUB_REQUESTS,
  type GithubAnswer,
  type GithubParams,
  type GithubRequestKind,
} from '../task/github-requests.ts';
import { enqueue } from './outbox.ts';
import type { Queryable, Transaction } from './pool.ts';
import { storableJson } from './storable-json.ts';

export interface GithubRequestRow {
  id: string;
  process: string;
  kind: GithubRequestKind;
  taskId: string;
  installationId: number;
  repositoryId: number;
  params: unknown;
  ticketJti: string | null;
  state: 'asked' | 'answered' | 'unknown';
  answer: unknown;
  artifactId: string | null;
  attempts: number;
  askedAt: Date;
}

const COLUMNS = `id, process, kind, task_id as "taskId", installation_id::float8 as "installationId",
  repository_id::float8 as "repositoryId", params, ticket_jti as "ticketJti", state, answer, artifact_id as "artifactId",
  attempts, asked_at as "askedAt"`;

export interface Asking<K extends GithubRequestKind> {
  kind: K;
  taskId: string;
  installationId: number;
  repositoryId: number;
  params: GithubParams<K>;
  ticketJti?: string;
}

/** The request row of this question, made (and sent on its way) if it was not asked before. */
export async function ask<K extends GithubRequestKind>(
  tx: Transaction,
  asking: Asking<K>,
): Promise<GithubRequestRow> {
  const params = GITHUB_REQUESTS[asking.kind].params.parse(asking.params);
  const id = newId();
  const key = askKey(asking);
  const columns = [
    'id',
    'kind',
    'task_id',
    'installation_id',
    'repository_id',
    'params',
    'ask_key',
  ];
  const values: unknown[] = [
    id,
    asking.kind,
    asking.taskId,
    asking.installationId,
    asking.repositoryId,
    params,
    key,
  ];
  if (asking.ticketJti !== undefined) {
    columns.push('ticket_jti');
    values.push(asking.ticketJti);
  }
  const inserted = await tx.query<{ id: string }>(
    `insert into github_request (${columns.join(', ')}) values (${values.map((_, i) => `$${i + 1}`).join(', ')})
     on conflict (task_id, ask_key) do nothing returning id`,
    values,
  );
  if (inserted.rows.length === 1) {
    await enqueue(tx, asking.kind === 'source' ? 'source' : 'github', { v: 1, requestId: id });
  }
  const { rows } = await tx.query<GithubRequestRow>(
    `select ${COLUMNS} from github_request where task_id = $1 and ask_key = $2`,
    [asking.taskId, key],
  );
  const row = rows[0];
  if (row === undefined) throw new Error('a request that was just made is not readable');
  return row;
}

function askKey(asking: Asking<GithubRequestKind>): string {
  const what = JSON.stringify([asking.kind, asking.params, asking.ticketJti ?? null]);
  return `${asking.kind}:${createHash('sha256').update(what).digest('hex').slice(0, 32)}`;
}

export async function findGithubRequest(
  db: Queryable,
  id: string,
): Promise<GithubRequestRow | null> {
  const { rows } = await db.query<GithubRequestRow>(
    `select ${COLUMNS} from github_request where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

export async function listGithubRequests(
  db: Queryable,
  taskId: string,
): Promise<GithubRequestRow[]> {
  const { rows } = await db.query<GithubRequestRow>(
    `select ${COLUMNS} from github_request where task_id = $1 order by asked_at, id`,
    [taskId],
  );
  return rows;
}

/** Open requests that were asked at least so many seconds ago: what the publisher's sweep looks at. */
export async function listOpenRequests(
  db: Queryable,
  idleSeconds: number,
  limit = 100,
): Promise<GithubRequestRow[]> {
  const { rows } = await db.query<GithubRequestRow>(
    `select ${COLUMNS} from github_request where state = 'asked' and asked_at <= now() - $1 * interval '1 second'
     order by asked_at limit $2`,
    [idleSeconds, limit],
  );
  return rows;
}

/** The answer in its kind's shape; null while open, when unknown, or when the stored answer has another shape. */
export function answerOf<K extends GithubRequestKind>(
  row: GithubRequestRow | null,
  kind: K,
): GithubAnswer<K> | null {
  if (row === null || row.kind !== kind || row.state !== 'answered') return null;
  const parsed = GITHUB_REQUESTS[kind].answer.safeParse(row.answer);
  return parsed.success ? (parsed.data as GithubAnswer<K>) : null;
}

/** Answers an open request, once. False: it was answered before. */
export async function answerRequest(
  db: Queryable,
  id: string,
  result:
    | { state: 'answered'; answer: unknown; artifactId?: string }
    | { state: 'unknown'; answer: unknown },
): Promise<boolean> {
  const artifactId = 'artifactId' in result ? (result.artifactId ?? null) : null;
  const { rowCount } = await db.query(
    `update github_request set state = $2, answer = $3, artifact_id = $4, answered_at = now()
     where id = $1 and state = 'asked'`,
    [id, result.state, storableJson(result.answer), artifactId],
  );
  return rowCount === 1;
}

/** Counts an attempt; the number of attempts so far. */
export async function countAttempt(db: Queryable, id: string): Promise<number> {
  const { rows } = await db.query<{ attempts: number }>(
    'update github_request set attempts = attempts + 1 where id = $1 returning attempts',
    [id],
  );
  return rows[0]?.attempts ?? 0;
}
