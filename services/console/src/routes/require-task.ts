/** The task that an address names. */
import type { Queryable } from '@sallyport/shared/db/pool';
import { findTaskView, type TaskView } from '@sallyport/shared/db/views/task-view';
import { AppError } from '@sallyport/shared/errors';
import { UUID_PATTERN } from '@sallyport/shared/ids';

/** @throws AppError `not_found` when there is none of that id, or what is given is no id. */
export async function requireTask(db: Queryable, params: unknown): Promise<TaskView> {
  const { id } = params as { id?: unknown };
  const task = typeof id === 'string' && UUID_PATTERN.test(id) ? await findTaskView(db, id) : null;
  if (task === null) throw new AppError('not_found', 'there is no such task');
  return task;
}
