/** Waits for the task of a delivery to come to its end, telling its events as they happen. */
import type { Pool } from '@sallyport/shared/db/pool';
import { readTimeline, type TimelineEvent } from '@sallyport/shared/db/timeline';
import { findTaskView, type TaskView } from '@sallyport/shared/db/views/task-view';
import { AppError } from '@sallyport/shared/errors';
import { isEnd, type TaskState } from '@sallyport/shared/task/states';

const POLL_MS = 50;
const WAITS_FOR_HUMANS: ReadonlySet<TaskState> = new Set(['held', 'awaiting_approval']);

export interface AwaitedTask {
  readonly task: TaskView;
  readonly events: readonly TimelineEvent[];
}

/**
 * The task that came of the delivery with this GUID, once it has ended or waits for a human.
 * @throws AppError `unavailable` when that takes longer than `timeoutMs`.
 */
export async function awaitTask(
  db: Pool,
  guid: string,
  options: { readonly timeoutMs: number; readonly onEvent?: (event: TimelineEvent) => void },
): Promise<AwaitedTask> {
  const deadline = Date.now() + options.timeoutMs;
  const events: TimelineEvent[] = [];
  let last = 'no task was made of the delivery';
  while (Date.now() < deadline) {
    const id = await findTaskId(db, guid);
    if (id !== null) {
      const task = await findTaskView(db, id);
      for (const event of await readTimeline(db, id, events.length)) {
        events.push(event);
        options.onEvent?.(event);
      }
      if (task !== null && (isEnd(task.state) || WAITS_FOR_HUMANS.has(task.state)))
        return { task, events };
      last = `the task is ${task?.state ?? 'unknown'}`;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new AppError('unavailable', `waited ${options.timeoutMs} ms: ${last}`);
}

async function findTaskId(db: Pool, guid: string): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    'select t.id from task t join delivery d on d.id = t.delivery_id where d.guid = $1',
    [guid],
  );
  return rows[0]?.id ?? null;
}
