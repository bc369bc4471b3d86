/**
 * Bytes in Postgres, in chunks of 1 MiB, known by their SHA-256, capped by their kind. An artifact exists when its hash
 * is set, in the same transaction as its last chunk; a half-written one is never seen, and reading checks hash and size.
 */
import { createHash } from 'node:crypto';
import { inTransaction, type Pool, type Queryable, type Transaction } from '../db/pool.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { ARTIFACT_KINDS, type ArtifactKind } from './kinds.ts';

const CHUNK_BYTES = 1024 * 1024;

export interface Artifact {
  id: string;
  kind: ArtifactKind;
  sha256: string;
  size: number;
}

/**
 * Stores a stream of bytes. The same bytes for the same task are stored once: the earlier artifact is returned.
 * @throws AppError `too_large` when the kind's cap is passed; nothing is kept then.
 */
export async function storeArtifact(
  pool: Pool,
  input: {
    kind: ArtifactKind;
    taskId: string;
    bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
    expiresInSeconds?: number;
  },
): Promise<Artifact> {
  return inTransaction(pool, (tx) => writeArtifact(tx, input));
}

/** As storeArtifact, inside a transaction of the caller's. */
export async function writeArtifact(
  tx: Transaction,
  input: {
    kind: ArtifactKind;
    taskId: string;
    bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
    expiresInSeconds?: number;
  },
): Promise<Artifact> {
  const { kind, taskId } = input;
  const cap = ARTIFACT_KINDS[kind].maxBytes;
  const id = newId();
  const hash = createHash('sha256');
  let size = 0;
  let seq = 0;
  await tx.query('insert into artifact (id, kind, task_id) values ($1, $2, $3)', [
    id,
    kind,
    taskId,
  ]);
  for await (const chunk of rechunk(input.bytes)) {
    size += chunk.length;
    if (size > cap) {
      throw new AppError('too_large', `the ${kind} is larger than ${cap} bytes`, {
        detail: { kind, cap },
      });
    }
    hash.update(chunk);
    await tx.query('insert into artifact_chunk (artifact_id, seq, data) values ($1, $2, $3)', [
      id,
      seq,
      chunk,
    ]);
    seq += 1;
  }
  const sha256 = hash.digest('hex');
  // Whoever stores the same at this moment is waited for: what he has not committed yet could not be seen below, and the
  // second of the two would break on the unique index instead of being told of the first.
  await tx.query(
    `select pg_advisory_xact_lock(hashtextextended(concat_ws(':', current_schema(), $1::text, $2::text, $3::text), 4))`,
    [taskId, kind, sha256],
  );
  // One that is due to go would be gone before whoever is told of it has read it.
  await tx.query(
    'delete from artifact where kind = $1 and task_id = $2 and sha256 = $3 and expires_at <= now()',
    [kind, taskId, sha256],
  );
  const earlier = await tx.query<{ id: string }>(
    'select id from artifact where kind = $1 and task_id = $2 and sha256 = $3',
    [kind, taskId, sha256],
  );
  const known = earlier.rows[0]?.id;
  if (known !== undefined) {
    await tx.query('delete from artifact where id = $1', [id]);
    return { id: known, kind, sha256, size };
  }
  await tx.query(
    `update artifact set sha256 = $2, size = $3, expires_at = now() + $4 * interval '1 second' where id = $1`,
    [id, sha256, size, input.expiresInSeconds ?? null],
  );
  return { id, kind, sha256, size };
}

async function* rechunk(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  for await (const part of bytes) {
    let rest = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    while (length + rest.length >= CHUNK_BYTES) {
      const take = CHUNK_BYTES - length;
      yield Buffer.concat([...held, rest.subarray(0, take)]);
      held = [];
      length = 0;
      rest = rest.subarray(take);
    }
    if (rest.length > 0) {
      // The producer may reuse its buffer while we wait for Postgres.
      held.push(Buffer.from(rest));
      length += rest.length;
    }
  }
  if (length > 0) yield Buffer.concat(held);
}

/** What is known of an artifact. @throws AppError `not_found` when it does not exist or is not for this process. */
export async function findArtifact(db: Queryable, id: string): Promise<Artifact> {
  const { rows } = await db.query<{ id: string; kind: ArtifactKind; sha256: string; size: string }>(
    'select id, kind, sha256, size::text from artifact where id = $1 and sha256 is not null',
    [id],
  );
  const row = rows[0];
  if (row === undefined) throw new AppError('not_found', `no artifact ${id}`);
  return { ...row, size: Number(row.size) };
}

/** The newest artifact of a kind that belongs to a task, or null when there is none or it is not for this process. */
export async function findNewestArtifact(
  db: Queryable,
  kind: ArtifactKind,
  taskId: string,
): Promise<Artifact | null> {
  const { rows } = await db.query<{ id: string; sha256: string; size: string }>(
    `select id, sha256, size::text from artifact
     where kind = $1 and task_id = $2 and sha256 is not null order by created_at desc, id desc limit 1`,
    [kind, taskId],
  );
  const row = rows[0];
  return row === undefined ? null : { ...row, kind, size: Number(row.size) };
}

/** Streams the bytes of an artifact, one chunk in memory at a time; ends with an error when hash or size differ. */
export async function* streamArtifact(db: Queryable, id: string): AsyncGenerator<Buffer> {
  const artifact = await findArtifact(db, id);
  const hash = createHash('sha256');
  let size = 0;
  for (let seq = 0; size < artifact.size; seq += 1) {
    const { rows } = await db.query<{ data: Buffer }>(
      'select data from artifact_chunk where artifact_id = $1 and seq = $2',
      [id, seq],
    );
    const data = rows[0]?.data;
    if (data === undefined) throw new AppError('not_found', `artifact ${id} lacks chunk ${seq}`);
    hash.update(data);
    size += data.length;
    yield data;
  }
  if (size !== artifact.size || hash.digest('hex') !== artifact.sha256) {
    throw new AppError('internal', `artifact ${id} is not what was stored`);
  }
}

/** All bytes of an artifact. @throws AppError `too_large` beyond `maxBytes`, before anything is read. */
export async function readArtifact(db: Queryable, id: string, maxBytes: number): Promise<Buffer> {
  const artifact = await findArtifact(db, id);
  if (artifact.size > maxBytes) {
    throw new AppError(
      'too_large',
      `artifact ${id} has ${artifact.size} bytes, more than ${maxBytes}`,
    );
  }
  const chunks: Buffer[] = [];
  for await (const chunk of streamArtifact(db, id)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
