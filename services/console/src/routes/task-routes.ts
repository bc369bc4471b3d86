/** The pages of the tasks, and the live timeline of one. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readHalt } from '@sallyport/shared/db/halt';
import type { Queryable } from '@sallyport/shared/db/pool';
import { listPresence } from '@sallyport/shared/db/presence';
import { readTimeline, verifyTimeline } from '@sallyport/shared/db/timeline';
import { readTaskDetails } from '@sallyport/shared/db/views/task-details';
import { listTasks } from '@sallyport/shared/db/views/task-view';
import { AppError } from '@sallyport/shared/errors';
import { TASK_STATES } from '@sallyport/shared/task/states';
import { z } from 'zod';
import { requireOperator } from '../auth/authenticate.ts';
import type { Sessions } from '../auth/sessions.ts';
import { handOver } from '../http/hand-over.ts';
import { readInput } from '../http/read-input.ts';
import { sendPage } from '../http/send-page.ts';
import { framed } from '../pages/layout.ts';
import { processList } from '../pages/processes-page.ts';
import { taskList } from '../pages/task-list-page.ts';
import { taskBody } from '../pages/task-page.ts';
import type { StreamHub } from '../timeline/stream-hub.ts';
import { requireTask } from './require-task.ts';

/** What pages are made from. */
export interface PageOptions {
  db: Queryable;
  deployment: string;
  sessions: Sessions;
  streams: StreamHub;
}

/** The filter of a list of tasks, as an address carries it. An empty field is one that was not filled in. */
export const TaskQuery = z.object({
  waiting: z.literal(['', '1', 'true']).default(''),
  state: z.union([z.literal('').transform(() => undefined), z.enum(TASK_STATES)]).optional(),
});
const EventsQuery = z.object({
  after: z.coerce.number().int().min(0).max(2_147_483_647).default(0),
});

export function addTaskRoutes(app: FastifyInstance, options: PageOptions): void {
  const { db, deployment } = options;

  app.get('/', async (request, reply) => {
    const query = readInput(TaskQuery, request.query);
    const filter = { waiting: query.waiting !== '', state: query.state };
    const chosen = { waiting: filter.waiting, ...(filter.state && { state: filter.state }) };
    const [tasks, { halts }] = await Promise.all([listTasks(db, chosen), readHalt(db)]);
    const body = taskList(tasks, filter);
    return sendPage(
      reply,
      framed({ title: 'Tasks', operator: requireOperator(request), deployment, halts, body }),
    );
  });

  app.get('/tasks/:id', async (request, reply) => {
    const task = await requireTask(db, request.params);
    const [details, events, problem, { halts }] = await Promise.all([
      readTaskDetails(db, task.id),
      readTimeline(db, task.id),
      verifyTimeline(db, task.id),
      readHalt(db),
    ]);
    const page = framed({
      title: `${task.repository}#${task.number}`,
      operator: requireOperator(request),
      deployment,
      halts,
      body: taskBody({ task, details, events, problem }),
      script: '/timeline.js',
    });
    return sendPage(reply, page);
  });

  app.get('/tasks/:id/events', { exposeHeadRoute: false }, async (request, reply) => {
    const task = await requireTask(db, request.params);
    if (!options.streams.hasRoom()) {
      throw new AppError('rate_limited', 'too many live timelines are open');
    }
    const after = lastSeen(request) ?? readInput(EventsQuery, request.query).after;
    const to = handOver(
      reply.headers({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }),
    );
    options.streams.open(task.id, after, to, () => isStillIn(request, options.sessions));
    return reply;
  });

  app.get('/processes', async (request, reply) => {
    const [processes, { halts }] = await Promise.all([listPresence(db), readHalt(db)]);
    const body = processList(processes);
    return sendPage(
      reply,
      framed({ title: 'Processes', operator: requireOperator(request), deployment, halts, body }),
    );
  });
}

/** The number of the last event that a reader which comes back has seen. */
function lastSeen(request: FastifyRequest): number | undefined {
  const header = request.headers['last-event-id'];
  return typeof header === 'string' && /^[0-9]{1,9}$/.test(header) ? Number(header) : undefined;
}

function isStillIn(request: FastifyRequest, sessions: Sessions): boolean {
  const { operator } = request;
  return (
    operator?.kind === 'token' || (operator !== null && sessions.find(operator.id) !== undefined)
  );
}
