/** The page of the halt and its forms. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readHaltStatus } from '@sallyport/shared/db/views/halt-status';
import { AppError } from '@sallyport/shared/errors';
import { nameOperator, requireOperator } from '../auth/authenticate.ts';
import { toAnswer } from '../http/answer-error.ts';
import { readInput } from '../http/read-input.ts';
import { sendPage } from '../http/send-page.ts';
import { haltBody } from '../pages/halt-page.ts';
import { framed } from '../pages/layout.ts';
import { halt, HaltInput, resume, ScopeInput } from './change-halt.ts';
import type { PageOptions } from './task-routes.ts';

export function addHaltRoutes(app: FastifyInstance, options: PageOptions): void {
  const { db, deployment } = options;

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    problem: string | null,
  ): Promise<FastifyReply> {
    const operator = requireOperator(request);
    const status = await readHaltStatus(db);
    const body = haltBody(status, operator, problem);
    return sendPage(
      reply,
      framed({ title: 'Halt', operator, deployment, halts: status.halts, body }),
    );
  }

  /** Does what a form asks; what was wrong with it is said above the form, not on a page without one. */
  async function act(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (by: string) => Promise<unknown>,
  ): Promise<FastifyReply> {
    try {
      await work(nameOperator(requireOperator(request)));
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'unavailable') throw error;
      reply.code(toAnswer(error).status);
      return show(request, reply, error.message);
    }
    return reply.redirect('/halt', 303);
  }

  app.get('/halt', (request, reply) => show(request, reply, null));
  app.post('/halt', (request, reply) =>
    act(request, reply, async (by) => halt(db, readInput(HaltInput, request.body), by)),
  );
  app.post('/resume', (request, reply) =>
    act(request, reply, async (by) => resume(db, readInput(ScopeInput, request.body), by)),
  );
}
