/**
 * The HTTP edge: two routes, hard timeouts, no parser of Fastify's own, and one place in which every error becomes an
 * answer. What a stranger sends is never logged; the reason for which it was refused is, in one line.
 */
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from '@sallyport/shared/log';
import {
  BODY_LIMIT_BYTES,
  CONNECTIONS_CHECK_MS,
  HEADERS_TIMEOUT_MS,
  MAX_CONNECTIONS,
  REQUEST_TIMEOUT_MS,
  RETRY_AFTER_SECONDS,
} from './limits.ts';
import { receiveDelivery, type ReceiveOptions } from './receive-delivery.ts';
import { Refusal, refusalBody } from './refusal.ts';

export interface AppOptions extends ReceiveOptions {
  /** Whether deliveries can be stored now. */
  isHealthy: () => Promise<boolean>;
  requestTimeoutMs?: number;
  headersTimeoutMs?: number;
}

/** Assembles the server; it does not listen yet. */
export function createApp(options: AppOptions): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES.form,
    requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    exposeHeadRoutes: false,
    http: {
      headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
    },
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  app.removeAllContentTypeParsers();
  // The stream is handed over untouched: the signature is over the bytes as they were sent.
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

  app.post('/github/webhook', async (request, reply) => {
    const received = await receiveDelivery(options, request.headers, request.raw);
    return reply.code(received.status).send(received.body);
  });
  app.get('/health', async (_request, reply) => {
    const healthy = await options.isHealthy();
    return reply.code(healthy ? 200 : 503).send({ status: healthy ? 'ok' : 'unavailable' });
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send(refusalBody(new Refusal('not_found', 'there is nothing at this path'))),
  );
  app.setErrorHandler((error, request, reply) => {
    const refusal = toRefusal(error);
    logRefusal(options.log, refusal, request.raw.socket.remoteAddress);
    if (refusal.status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS);
    return reply.code(refusal.status).send(refusalBody(refusal));
  });
  return app;
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const code = (error as { code?: unknown }).code;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Refusal('too_large', `the body is longer than ${BODY_LIMIT_BYTES.form} bytes`);
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Refusal('unsupported_content_type', 'the content type cannot be read', {
      cause: error,
    });
  }
  return new Refusal('internal', 'the request could not be handled', { cause: error });
}

function logRefusal(log: Logger, refusal: Refusal, remoteAddress: string | undefined): void {
  const fields = { code: refusal.code, reason: refusal.message, remoteAddress };
  if (refusal.status < 500 || refusal.code === 'busy') log.warn(fields, 'delivery refused');
  else log.error({ ...fields, err: refusal.cause }, 'delivery refused');
}
