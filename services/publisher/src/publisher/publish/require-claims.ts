/**
 * The ticket under which a publication happens, held against the act that this code can do: a branch of the ticket's own
 * repository, from the base on. Whatever the ticket does not allow in every word is refused.
 */
import type { RunRow, TaskRow } from '@sallyport/shared/db/task';
import { AppError } from '@sallyport/shared/errors';
import type { TicketClaims } from '@sallyport/shared/ticket/claims';
import { branchName } from '@sallyport/shared/task/branch-name';
import { requireTicket } from '@sallyport/shared/ticket/standing';
import type { PublisherContext } from '../context.ts';

/** @throws AppError `ticket_invalid` with `detail.why`. */
export async function requireClaims(
  context: Pick<PublisherContext, 'db' | 'ticketKeys' | 'branchPrefix'>,
  task: TaskRow,
  run: RunRow,
): Promise<TicketClaims> {
  const claims = await requireTicket(context.db, run, context.ticketKeys, 'publisher');
  if (claims.act !== 'pull_request' || claims.read_only) refuse('act');
  if (claims.repository.id !== task.repositoryId) refuse('other_repository');
  if (claims.start.repository_id !== claims.repository.id || claims.start.sha !== claims.base.sha)
    refuse('start');
  // One that lies could name any branch that looks like ours, to hide a change behind another's name.
  if (claims.branch !== branchName(context.branchPrefix, claims.subject.number, task.id))
    refuse('branch');
  return claims;
}

function refuse(why: string): never {
  throw new AppError('ticket_invalid', `the ticket is refused: ${why}`, { detail: { why } });
}
