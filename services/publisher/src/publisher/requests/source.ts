/**
 * Answers a launcher's wish for the source of its run: only under a ticket that stands, only the start commit that the
 * ticket names, only of the ticket's repository.
 */
import { findTicket } from '@sallyport/shared/db/ticket';
import type { GithubRequestRow } from '@sallyport/shared/db/github-request';
import { systemClock } from '@sallyport/shared/clock';
import { appendEvent } from '@sallyport/shared/db/timeline';
import { AppError } from '@sallyport/shared/errors';
import type { GithubAnswer, GithubParams } from '@sallyport/shared/task/github-requests';
import type { TicketClaims } from '@sallyport/shared/ticket/claims';
import { verifyTicket } from '@sallyport/shared/ticket/verify';
import type { PublisherContext } from '../context.ts';
import type { TokenGrant } from '../github/token.ts';
import { storeSource } from '../source-pack.ts';

/** @throws AppError `ticket_invalid` with `detail.why`, after the refusal was written to the timeline. */
export async function requireSourceTicket(
  context: PublisherContext,
  request: GithubRequestRow,
  params: GithubParams<'source'>,
): Promise<TicketClaims> {
  try {
    return await checkTicket(context, request, params);
  } catch (error) {
    if (error instanceof AppError && error.code === 'ticket_invalid') {
      const facts = {
        jti: request.ticketJti,
        why: error.detail['why'] ?? null,
        use: 'source',
        requestId: request.id,
      };
      await appendEvent(context.db, request.taskId, 'ticket_refused', facts);
    }
    throw error;
  }
}

async function checkTicket(
  context: PublisherContext,
  request: GithubRequestRow,
  params: GithubParams<'source'>,
): Promise<TicketClaims> {
  const row = request.ticketJti === null ? null : await findTicket(context.db, request.ticketJti);
  if (row === null) return refuse('missing');
  const claims = await verifyTicket(row.token, context.ticketKeys, 'publisher', systemClock);
  const speaksOfThis =
    claims.jti === row.jti &&
    claims.run_id === row.runId &&
    claims.task_id === row.taskId &&
    row.taskId === request.taskId;
  if (!speaksOfThis) return refuse('other_run');
  if (row.revokedAt !== null) return refuse('revoked');
  if (
    claims.repository.id !== request.repositoryId ||
    claims.start.repository_id !== request.repositoryId
  ) {
    return refuse('other_repository');
  }
  if (claims.start.sha !== params.sha) return refuse('other_start');
  return claims;
}

function refuse(why: string): never {
  throw new AppError('ticket_invalid', `the ticket is refused: ${why}`, { detail: { why } });
}

export async function answerSource(
  context: PublisherContext,
  grant: TokenGrant,
  taskId: string,
  params: GithubParams<'source'>,
): Promise<{ answer: GithubAnswer<'source'>; artifactId: string }> {
  const { artifact, shallow } = await storeSource(context, grant, taskId, params.sha);
  return { answer: { shallow, size: artifact.size }, artifactId: artifact.id };
}
