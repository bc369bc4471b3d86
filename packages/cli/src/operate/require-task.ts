/** The task that an operator means, or an error that says what to type. */
import type { Queryable } from '@sallyport/shared/db/pool';
import { findTaskByPrefix, type TaskView } from '@sallyport/shared/db/views/task-view';
import { AppError } from '@sallyport/shared/errors';

export async function requireTask(db: Queryable, id: string): Promise<TaskView> {
  const task = await findTaskByPrefix(db, id.toLowerCase());
  if (task === null) {
    throw new AppError('not_found', `no single task ${id}; "sallyport tasks" lists them`);
  }
  return task;
}
