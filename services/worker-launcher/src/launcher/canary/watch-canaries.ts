/**
 * Looks for planted credentials in what passes from one step to the next and writes down where one was seen. It stops
 * nothing: the publisher looks for itself and holds the work; what it cannot see any more, because it was scrubbed before it
 * was stored, it knows from here.
 */
import { setImmediate } from 'node:timers/promises';
import {
  listCanaries,
  noteCanarySeen,
  type CanaryRow,
  type LauncherSight,
} from '@sallyport/shared/db/canary';
import { inLeasedTransaction, type Lease } from '@sallyport/shared/db/lease';
import type { Transaction } from '@sallyport/shared/db/pool';
import { appendEvent } from '@sallyport/shared/db/timeline';
import { canariesIn } from '@sallyport/shared/canary/find-canaries';
import type { RunWork } from '../run/work.ts';

/** One is searched in some ten milliseconds. */
const PIECE_CHARS = 256 * 1024;
/** Longer than any disguise of a canary within which nothing else stands. */
const OVERLAP_CHARS = 16 * 1024;

export interface Sight {
  seenIn: LauncherSight;
  text: string;
}

/** Where it was seen: the step that wrote it, or was about to be given it. */
export interface Watched {
  taskId: string;
  lease: Lease;
  stepId: string;
}

/** Looks, and notes what is new, within a transaction of its caller. */
export async function noteCanaries(
  tx: Transaction,
  watched: Watched,
  sights: readonly Sight[],
): Promise<void> {
  const planted = await listCanaries(tx, watched.taskId);
  for (const { seenIn, text } of sights) {
    for (const canary of seen(planted, text)) await note(tx, watched, canary, seenIn);
  }
}

/** The same where there is no transaction: one is made when there is something to note. */
export async function watchText(work: RunWork, stepId: string, sight: Sight): Promise<void> {
  const planted = await listCanaries(work.db, work.taskId);
  const found = new Set<CanaryRow>();
  for (const piece of piecesOf(sight.text)) {
    for (const canary of seen(planted, piece)) found.add(canary);
    // An agent may have made it of many megabytes, and leases and the halt of all other runs wait for this thread.
    await setImmediate();
  }
  if (found.size === 0) return;
  const { taskId, lease } = work;
  await inLeasedTransaction(work.db, lease, async (tx) => {
    for (const canary of found) await note(tx, { taskId, lease, stepId }, canary, sight.seenIn);
  });
}

/** Pieces that overlap, so that what lies on a border is whole in one of them. */
export function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE_CHARS) {
    yield text.slice(at, at + PIECE_CHARS + OVERLAP_CHARS);
  }
}

function seen(planted: readonly CanaryRow[], text: string): CanaryRow[] {
  const values = new Set(
    canariesIn(
      text,
      planted.map(({ value }) => value),
    ),
  );
  return planted.filter(({ value }) => values.has(value));
}

async function note(
  tx: Transaction,
  { taskId, lease, stepId }: Watched,
  { stepId: plantedIn, node, visit, attempt }: CanaryRow,
  seenIn: LauncherSight,
): Promise<void> {
  if (!(await noteCanarySeen(tx, lease, plantedIn, seenIn))) return;
  await appendEvent(tx, taskId, 'canary_seen', {
    runId: lease.runId,
    stepId,
    seenIn,
    planted: { stepId: plantedIn, node, visit, attempt },
  });
}
