/**
 * The whole check that whoever acts on a ticket makes, each time: signature, audience, expiry, claims, and that the row
 * it came from still stands and speaks of this very run. A ticket that fails in any of these permits nothing.
 */
import { systemClock, type Clock } from '../clock.ts';
import { findTicketOfRun } from '../db/ticket.ts';
import type { Queryable } from '../db/pool.ts';
import { AppError } from '../errors.ts';
import type { TicketAudience, TicketClaims } from './claims.ts';
import { verifyTicket, type TicketKeys } from './verify.ts';

/**
 * The claims of the ticket under which a run stands.
 * @throws AppError `ticket_invalid` with `detail.why`: missing, revoked, other_run, or one of verifyTicket's.
 */
export async function requireTicket(
  db: Queryable,
  run: { id: string; taskId: string },
  keys: TicketKeys,
  audience: TicketAudience,
  clock: Clock = systemClock,
): Promise<TicketClaims> {
  const row = await findTicketOfRun(db, run.id);
  if (row === null) refuse('missing');
  const claims = await verifyTicket(row.token, keys, audience, clock);
  if (claims.jti !== row.jti || claims.run_id !== run.id || claims.task_id !== run.taskId)
    refuse('other_run');
  if (row.revokedAt !== null) refuse('revoked');
  return claims;
}

function refuse(why: string): never {
  throw new AppError('ticket_invalid', `the ticket is refused: ${why}`, { detail: { why } });
}
