/** Finds publications that are due and were forgotten: lost messages, released halts, failures that have passed. */
import { findCurrentRun, listTasksIn } from '@sallyport/shared/db/task';
import type { PublisherContext } from '../context.ts';
import { advancePublication } from './advance.ts';

const IDLE_SECONDS = 3;

export async function sweepPublications(context: PublisherContext): Promise<void> {
  for (const task of await listTasksIn(context.db, ['collected', 'judging'], IDLE_SECONDS)) {
    // oxlint-disable-next-line no-await-in-loop -- a sweep takes its time; jobs are the fast way
    const run = await findCurrentRun(context.db, task.id);
    if (run === null || !context.backoff.isDue(run.id)) continue;
    // oxlint-disable-next-line no-await-in-loop -- as above
    await advancePublication(context, run.id).catch((error: unknown) =>
      context.log.warn({ err: error, taskId: task.id, runId: run.id }, 'publication waits'),
    );
  }
}
