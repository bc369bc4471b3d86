/** The cookie that carries a session's id: for this site alone, unreadable to scripts, and only over https where there is https. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_HOURS } from './sessions.ts';

const NAME = 'sallyport_session';

/** The id that a request carries, if it looks like one. */
export function readSessionCookie(header: string | undefined): string | undefined {
  return new RegExp(`(?:^|;\\s*)${NAME}=([A-Za-z0-9_-]{43})(?:;|$)`).exec(header ?? '')?.[1];
}

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, id: string): void {
  setCookie(request, reply, id, SESSION_HOURS * 3600);
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  setCookie(request, reply, '', 0);
}

function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  value: string,
  seconds: number,
): void {
  // Believing the header harms only who sends it falsely: his browser will not send the cookie back over http.
  const isHttps = request.protocol === 'https' || request.headers['x-forwarded-proto'] === 'https';
  reply.header(
    'set-cookie',
    `${NAME}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`,
  );
}
