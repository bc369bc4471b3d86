/** The one way in which HTML leaves the console: as something that the escaping tag made. */
import type { FastifyReply } from 'fastify';
import type { SafeHtml } from '../html.ts';

export function sendPage(reply: FastifyReply, page: SafeHtml): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(page.toString());
}
