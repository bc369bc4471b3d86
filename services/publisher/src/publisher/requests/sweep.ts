/** Finds open requests that are due and were forgotten. */
import { listOpenRequests } from '@sallyport/shared/db/github-request';
import type { PublisherContext } from '../context.ts';
import { handleRequest } from './answer.ts';

const IDLE_SECONDS = 3;

export async function sweepRequests(context: PublisherContext): Promise<void> {
  for (const request of await listOpenRequests(context.db, IDLE_SECONDS)) {
    if (!context.backoff.isDue(request.id)) continue;
    // oxlint-disable-next-line no-await-in-loop -- a sweep takes its time; jobs are the fast way
    await handleRequest(context, request.id).catch((error: unknown) =>
      context.log.warn({ err: error, requestId: request.id, kind: request.kind }, 'request waits'),
    );
  }
}
