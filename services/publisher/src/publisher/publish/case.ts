/** One publication in hand: everything that its steps share during one pass over it. */
import type { HeldLock } from '@sallyport/shared/db/task-lock';
import type { RunRow, TaskRow } from '@sallyport/shared/db/task';
import type { Snapshot } from '@sallyport/shared/task/snapshot';
import type { TicketClaims } from '@sallyport/shared/ticket/claims';
import type { PublisherContext } from '../context.ts';
import type { TokenAct } from '../github/token-acts.ts';
import type { CanaryWatch } from './canary-watch.ts';
import { requireClaims } from './require-claims.ts';
import { withToken, type TokenGrant } from '../github/token.ts';

export interface Case {
  context: PublisherContext;
  task: TaskRow;
  run: RunRow;
  claims: TicketClaims;
  snapshot: Snapshot;
  canaries: CanaryWatch;
  lock: HeldLock;
}

/** A token for one act on the ticket's repository. */
export function withCaseToken<T>(
  { context, claims }: Case,
  act: TokenAct,
  use: (grant: TokenGrant) => Promise<T>,
): Promise<T> {
  const { id, owner, name } = claims.repository;
  return withToken(
    context,
    {
      act,
      taskId: claims.task_id,
      installationId: claims.installation_id,
      repositoryId: id,
      knownAs: { owner, name },
    },
    use,
  );
}

/**
 * Throws AppError `halted`, `ticket_invalid` or `transient` unless an effect may begin now. Call it directly before each
 * one: fetching and packing take minutes, in which a halt can be set and a ticket revoked.
 */
export async function assertMayAct({ context, task, run, claims, lock }: Case): Promise<void> {
  await requireClaims(context, task, run);
  lock.assertHeld();
  await context.halt.assertClear(claims.repository.id);
}
