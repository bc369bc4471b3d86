/** Logging in with the operator token, and out again. */
import type { FastifyInstance } from 'fastify';
import { AppError } from '@sallyport/shared/errors';
import { z } from 'zod';
import type { AuthOptions } from '../auth/authenticate.ts';
import { isOperatorToken } from '../auth/operator-token.ts';
import { isFromOwnPage } from '../auth/same-origin.ts';
import { clearSessionCookie, setSessionCookie } from '../auth/session-cookie.ts';
import { readInput } from '../http/read-input.ts';
import { sendPage } from '../http/send-page.ts';
import { loginPage } from '../pages/login-page.ts';
import { visibleText } from '../visible-text.ts';

const Form = z.object({
  token: z.string().max(1024).default(''),
  // It will stand in records: what cannot be seen in it, or not be stored, is shown by its number.
  name: z.string().trim().max(64).transform(visibleText).default(''),
  next: z.string().max(2048).default('/'),
});
const Query = z.object({ next: z.string().max(2048).default('/') });

export function addLoginRoutes(app: FastifyInstance, options: AuthOptions): void {
  app.get('/login', { config: { open: true } }, async (request, reply) => {
    const { next } = readInput(Query, request.query);
    return sendPage(reply, loginPage({ next: ownPath(next), problem: null }));
  });

  app.post('/login', { config: { open: true } }, async (request, reply) => {
    if (!isFromOwnPage(request.headers)) {
      throw new AppError(
        'forbidden',
        'the request does not come from the login page of this console',
      );
    }
    const { token, name, next } = readInput(Form, request.body);
    if (!options.attempts.mayTry(request.ip)) {
      reply.code(429).header('retry-after', '60');
      const problem = 'Too many wrong tokens. Wait a minute.';
      return sendPage(reply, loginPage({ next: ownPath(next), problem }));
    }
    if (!isOperatorToken(token.trim(), options.tokenSha256)) {
      options.attempts.countFailure(request.ip);
      reply.code(401);
      return sendPage(
        reply,
        loginPage({ next: ownPath(next), problem: 'That is not the operator token.' }),
      );
    }
    const { id } = options.sessions.open(name === '' ? 'operator' : name);
    setSessionCookie(request, reply, id);
    return reply.redirect(ownPath(next), 303);
  });

  app.post('/logout', async (request, reply) => {
    if (request.operator?.kind === 'session') options.sessions.close(request.operator.id);
    clearSessionCookie(request, reply);
    return reply.redirect('/login', 303);
  });
}

/** The path to go on to, if it is one of this site; else the first page. `//x` and `/\x` are other sites to a browser. */
function ownPath(next: string): string {
  return /^\/(?!\/)[\w\-./~%?=&]*$/.test(next) ? next : '/';
}
