/**
 * Who asks, decided once for every request before anything else: the session of the cookie, or the token itself in the
 * header `Authorization`. A route is closed unless it says that it is open, and so is an address that does not exist.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '@sallyport/shared/errors';
import { isScripted, sendError } from '../http/answer-error.ts';
import type { AttemptLimit } from './attempt-limit.ts';
import { isOperatorToken, isSameSecret } from './operator-token.ts';
import { isFromOwnPage } from './same-origin.ts';
import { readSessionCookie } from './session-cookie.ts';
import type { Session, Sessions } from './sessions.ts';

export type Operator =
  | { kind: 'session'; id: string; session: Session }
  /** A script that holds the token; no browser adds that header by itself. */
  | { kind: 'token' };

declare module 'fastify' {
  interface FastifyRequest {
    operator: Operator | null;
  }
  interface FastifyContextConfig {
    /** Anybody may ask this. */
    open?: boolean;
  }
}

export interface AuthOptions {
  tokenSha256: string;
  sessions: Sessions;
  attempts: AttemptLimit;
}

/** Closes the whole server to whoever is not the operator, and every change to requests that he did not mean. */
export function addAuthentication(app: FastifyInstance, options: AuthOptions): void {
  app.decorateRequest('operator', null);

  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.open === true) return undefined;
    request.operator = findOperator(request, options);
    return request.operator === null ? refuse(request, reply) : undefined;
  });

  app.addHook('preHandler', async (request) => {
    const { operator, method } = request;
    if (operator?.kind !== 'session' || method === 'GET' || method === 'HEAD') return;
    if (!isFromOwnPage(request.headers)) {
      throw new AppError('forbidden', 'the request does not come from a page of this console');
    }
    if (!isSameSecret(csrfOf(request), operator.session.csrf)) {
      throw new AppError('forbidden', 'the form is from another login; load the page again');
    }
  });
}

/** The operator who asks. @throws AppError `forbidden` where a route forgot to be closed. */
export function requireOperator(request: FastifyRequest): Operator {
  if (request.operator === null) throw new AppError('forbidden', 'log in first');
  return request.operator;
}

/** How the operator is named in the record of what was done. */
export function nameOperator(operator: Operator): string {
  return operator.kind === 'session'
    ? `${operator.session.name} (console)`
    : 'token holder (console)';
}

function findOperator(request: FastifyRequest, options: AuthOptions): Operator | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) return findTokenHolder(authorization, request.ip, options);
  const id = readSessionCookie(request.headers.cookie);
  const session = id === undefined ? undefined : options.sessions.find(id);
  return id === undefined || session === undefined ? null : { kind: 'session', id, session };
}

function findTokenHolder(
  authorization: string,
  address: string,
  options: AuthOptions,
): Operator | null {
  if (!options.attempts.mayTry(address)) {
    throw new AppError('rate_limited', 'too many wrong tokens; wait a minute');
  }
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token !== undefined && isOperatorToken(token, options.tokenSha256)) return { kind: 'token' };
  options.attempts.countFailure(address);
  return null;
}

function refuse(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isPage = request.method === 'GET' || request.method === 'HEAD';
  if (isPage && !isScripted(request)) {
    return reply.redirect(`/login?next=${encodeURIComponent(request.url)}`, 303);
  }
  reply.header('www-authenticate', 'Bearer');
  return sendError(request, reply, {
    status: 401,
    code: 'forbidden',
    message: 'Log in, or send the operator token as "Authorization: Bearer …".',
  });
}

function csrfOf(request: FastifyRequest): string {
  const header = request.headers['x-csrf-token'];
  if (typeof header === 'string') return header;
  const { body } = request;
  if (typeof body !== 'object' || body === null || !('csrf' in body)) return '';
  return typeof body.csrf === 'string' ? body.csrf : '';
}
