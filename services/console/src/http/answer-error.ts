/** The one place where an error becomes an answer: a page for people, JSON for scripts; the reason, never the inside. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorCode } from '@sallyport/shared/errors';
import type { Logger } from '@sallyport/shared/log';
import { errorPage } from '../pages/error-page.ts';
import { sendPage } from './send-page.ts';

export interface Answer {
  status: number;
  code: ErrorCode;
  message: string;
}

const STATUS: Partial<Record<ErrorCode, number>> = {
  bad_input: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
};

/** Whether a script asked, which wants JSON and no redirects. */
export function isScripted(request: FastifyRequest): boolean {
  return (
    request.headers.authorization !== undefined ||
    /^\/(?:queues\/)?api\//.test(request.url) ||
    request.headers.accept?.includes('text/event-stream') === true
  );
}

/** Answers with an error, in the form that the asker understands. */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): FastifyReply {
  if (answer.status === 429 || answer.status === 503) reply.header('retry-after', '10');
  reply.code(answer.status);
  if (isScripted(request))
    return reply.send({ error: { code: answer.code, message: answer.message } });
  return sendPage(reply, errorPage(answer));
}

/** What an error that was thrown while answering means to whoever asked. */
export function toAnswer(error: unknown): Answer {
  if (error instanceof AppError) {
    const message =
      error.code === 'unavailable'
        ? 'The database cannot be reached. Try again soon.'
        : error.message;
    return { status: STATUS[error.code] ?? 500, code: error.code, message };
  }
  const status = (error as { statusCode?: unknown }).statusCode;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    const code = status === 413 ? 'too_large' : 'bad_input';
    return { status, code, message: 'The request cannot be read.' };
  }
  return { status: 500, code: 'internal', message: 'Something went wrong; the log says what.' };
}

/** Logs what a human should look at. */
export function logAnswer(log: Logger, answer: Answer, error: unknown): void {
  if (answer.status === 503) log.warn({ err: error }, 'request could not be served');
  else if (answer.status >= 500) log.error({ err: error }, 'request failed');
}
