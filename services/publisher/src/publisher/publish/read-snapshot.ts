/** The request as it was frozen, proven to be the one that the ticket was signed for. */
import { createHash } from 'node:crypto';
import { findSnapshot } from '@sallyport/shared/db/snapshot';
import type { Queryable } from '@sallyport/shared/db/pool';
import { decodeSnapshot, type Snapshot } from '@sallyport/shared/task/snapshot';
import type { TicketClaims } from '@sallyport/shared/ticket/claims';

/** The snapshot, or null when it is missing, altered, or speaks of something else than the ticket. */
export async function readSnapshot(db: Queryable, claims: TicketClaims): Promise<Snapshot | null> {
  const stored = await findSnapshot(db, claims.task_id);
  if (stored === null) return null;
  const hash = createHash('sha256').update(stored.content).digest('hex');
  if (hash !== claims.snapshot_sha256) return null;
  const snapshot = decodeSnapshot(stored.content);
  const isOfTicket =
    snapshot.repository.id === claims.repository.id &&
    snapshot.subject.number === claims.subject.number &&
    snapshot.requester.id === claims.requester.id &&
    snapshot.trigger.id === claims.comment_id &&
    snapshot.trigger.authorId === claims.requester.id &&
    snapshot.base.sha === claims.base.sha &&
    snapshot.base.ref === claims.base.ref;
  return isOfTicket ? snapshot : null;
}
