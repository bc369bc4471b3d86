/** Takes a response out of the framework's hands, for answers that it cannot give: streams, and servers of their own. */
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** The raw response, with the headers that were set so far; from now on it is the caller's to end. */
export function handOver(reply: FastifyReply): ServerResponse {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.hijack();
  return reply.raw;
}
