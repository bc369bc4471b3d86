/** The same for scripts, as JSON. */
import type { FastifyInstance } from 'fastify';
import { listPresence } from '@sallyport/shared/db/presence';
import { readTimeline, verifyTimeline } from '@sallyport/shared/db/timeline';
import { readHaltStatus } from '@sallyport/shared/db/views/halt-status';
import { readTaskDetails } from '@sallyport/shared/db/views/task-details';
import { listTasks } from '@sallyport/shared/db/views/task-view';
import { nameOperator, requireOperator } from '../auth/authenticate.ts';
import { readInput } from '../http/read-input.ts';
import { halt, HaltInput, resume, ScopeInput } from './change-halt.ts';
import { requireTask } from './require-task.ts';
import { TaskQuery, type PageOptions } from './task-routes.ts';

export function addApiRoutes(app: FastifyInstance, { db, deployment }: PageOptions): void {
  app.get('/api/tasks', async (request) => {
    const { waiting, state } = readInput(TaskQuery, request.query);
    return { tasks: await listTasks(db, { waiting: waiting !== '', ...(state && { state }) }) };
  });

  app.get('/api/tasks/:id', async (request) => {
    const task = await requireTask(db, request.params);
    return { task, ...(await readTaskDetails(db, task.id)) };
  });

  app.get('/api/tasks/:id/timeline', async (request) => {
    const { id } = await requireTask(db, request.params);
    const [events, problem] = await Promise.all([readTimeline(db, id), verifyTimeline(db, id)]);
    return { task: id, events, verified: problem === null, problem };
  });

  app.get('/api/status', async () => {
    const [status, processes] = await Promise.all([readHaltStatus(db), listPresence(db)]);
    return { deployment, ...status, processes };
  });

  app.post('/api/halt', async (request) =>
    halt(db, readInput(HaltInput.strict(), request.body), nameOperator(requireOperator(request))),
  );

  app.post('/api/resume', async (request) =>
    resume(
      db,
      readInput(ScopeInput.strict(), request.body),
      nameOperator(requireOperator(request)),
    ),
  );
}
