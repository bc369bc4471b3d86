/**
 * The way to the board of the queues. Its libraries are loaded when somebody first looks: a console at which nobody looks
 * stays small.
 */
import type { FastifyInstance } from 'fastify';
import { AppError } from '@sallyport/shared/errors';
import { sendError } from '../http/answer-error.ts';
import { handOver } from '../http/hand-over.ts';
import { BOARD_SECURITY_POLICY } from '../http/security-headers.ts';
import type { BoardOptions } from '../queues/board.ts';

const BASE_PATH = '/queues';
const READING = new Set(['GET', 'HEAD']);

export function addQueueRoutes(app: FastifyInstance, options: BoardOptions): void {
  let loading: Promise<FastifyInstance> | undefined;
  let closed = false;

  function board(): Promise<FastifyInstance> {
    if (closed) throw new AppError('unavailable', 'the console is stopping');
    loading ??= import('../queues/board.ts')
      .then(({ createBoard }) => createBoard(options, BASE_PATH))
      .catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
    return loading;
  }

  app.addHook('onClose', async () => {
    closed = true;
    await loading?.then(
      (made) => made.close(),
      () => {},
    );
  });

  app.register(async (scope) => {
    // Before the body is read, and before any form is checked: there is nothing here that could be changed.
    scope.addHook('onRequest', async (request, reply) => {
      if (READING.has(request.method)) return undefined;
      reply.header('allow', 'GET, HEAD');
      return sendError(request, reply, {
        status: 405,
        code: 'forbidden',
        message: 'The queues can be looked at here, not changed.',
      });
    });
    scope.all(BASE_PATH, async (_request, reply) => reply.redirect(`${BASE_PATH}/`, 303));
    scope.all(`${BASE_PATH}/*`, async (request, reply) => {
      const made = await board();
      reply.header('content-security-policy', BOARD_SECURITY_POLICY);
      made.routing(request.raw, handOver(reply));
    });
  });
}
