/** Writing and reading the timeline. Sequence, actor, time and hash are computed by the database. */
import type { TimelineKind } from '../timeline/kinds.ts';
import type { Queryable } from './pool.ts';
import { storableJson } from './storable-json.ts';

export interface TimelineEvent {
  seq: number;
  at: Date;
  process: string;
  kind: TimelineKind;
  data: Record<string, unknown>;
  hash: string;
}

/** Appends one event to a subject's chain (a task, or DEPLOYMENT_SUBJECT). */
export async function appendEvent(
  db: Queryable,
  subject: string,
  kind: TimelineKind,
  data: Record<string, unknown>,
): Promise<number> {
  const { rows } = await db.query<{ seq: number }>('select timeline_append($1, $2, $3) as seq', [
    subject,
    kind,
    storableJson(data),
  ]);
  return rows[0]?.seq ?? 0;
}

/** The events of a subject after a sequence number, oldest first. */
export async function readTimeline(
  db: Queryable,
  subject: string,
  afterSeq = 0,
): Promise<TimelineEvent[]> {
  const { rows } = await db.query<TimelineEvent>(
    'select seq, at, process, kind, data, hash from timeline where subject = $1 and seq > $2 order by seq',
    [subject, afterSeq],
  );
  return rows;
}

export interface ChainProblem {
  seq: number;
  problem: 'missing' | 'altered';
}

/** The first break of a subject's chain, or null when it holds. A cut tail cannot be seen here. */
export async function verifyTimeline(db: Queryable, subject: string): Promise<ChainProblem | null> {
  const { rows } = await db.query<ChainProblem>('select seq, problem from timeline_verify($1)', [
    subject,
  ]);
  return rows[0] ?? null;
}
