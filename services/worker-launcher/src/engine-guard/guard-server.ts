/**
 * Listens on a unix socket for one group of users. Every request is taken apart before anything is done, and what goes to
 * the engine is made anew; a connection whose request was not understood to its end is closed.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import type { Logger } from '@sallyport/shared/log';
import { attachTo, type AttachMeans } from './containers/attach.ts';
import { answerTo, drain, sendAnswer, sendRefusal } from './http/answers.ts';
import { parseTarget } from './http/request-target.ts';
import { findRoute, type Answer, type Route } from './http/router.ts';

const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 120_000;
const ATTACH_STREAM = /^(?:0|1|true|false)$/;

export interface ServerMeans {
  routes: readonly Route[];
  attach: AttachMeans;
  log: Logger;
}

export interface GuardServer {
  /** Whoever creates it lets it listen. */
  server: Server;
  /** Stops listening and ends every connection, also those that became streams. */
  end(): Promise<void>;
}

/** Creates the server. */
export function createGuardServer({ routes, attach, log }: ServerMeans): GuardServer {
  const streams = new Set<Duplex>();
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    insecureHTTPParser: false,
  });

  async function answer(request: IncomingMessage, gone: AbortSignal): Promise<Answer> {
    const method = request.method ?? '';
    const target = parseTarget(request.url ?? '');
    const { route, parts } = findRoute(routes, method, target);
    return route.handle({
      request,
      query: target.query,
      gone,
      part(name) {
        const part = parts.get(name);
        if (part === undefined) throw new Error(`${route.path} has no part ${name}`);
        return part;
      },
    });
  }

  function refuse(request: IncomingMessage, error: unknown): Answer {
    const what = { method: request.method, path: request.url?.slice(0, 300) };
    const code = errorCodeOf(error);
    if (code === 'internal') log.error({ err: error, ...what }, 'a request failed');
    else if (code !== 'not_found')
      log.warn({ ...what, code, reason: wordsOf(error) }, 'a request was refused');
    return answerTo(error);
  }

  async function onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      sendAnswer(response, await answer(request, gone.signal));
    } catch (error) {
      // Nobody is there to hear of it: a wait that was given up.
      if (gone.signal.aborted) return;
      const refusal = refuse(request, error);
      await drain(request);
      sendAnswer(response, refusal);
    }
  }

  async function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    streams.add(socket);
    socket.once('close', () => streams.delete(socket));
    socket.on('error', () => socket.destroy());
    try {
      const target = parseTarget(request.url ?? '');
      const { parts } = findRoute([ATTACH], request.method ?? '', target);
      const { upgrade, 'content-length': length = '0' } = request.headers;
      if (upgrade?.toLowerCase() !== 'tcp' || length !== '0') {
        throw new AppError('bad_input', 'attach: upgrade to tcp, without a body');
      }
      await attachTo(attach, parts.get('id') ?? '', target.query, { socket, head });
    } catch (error) {
      sendRefusal(socket, refuse(request, error));
    }
  }

  server.on('request', (request, response) => void onRequest(request, response));
  server.on('upgrade', (request, socket, head) => void onUpgrade(request, socket, head));
  return {
    server,
    async end() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      // No longer among the connections that the server knows to be its own.
      for (const stream of streams) stream.destroy();
      await closed;
    },
  };
}

const ATTACH: Route = {
  method: 'POST',
  path: '/containers/:id/attach',
  query: {
    stream: ATTACH_STREAM,
    stdin: ATTACH_STREAM,
    stdout: ATTACH_STREAM,
    stderr: ATTACH_STREAM,
  },
  handle: () =>
    Promise.reject(
      new AppError('bad_input', 'attach: send "Connection: Upgrade" and "Upgrade: tcp"'),
    ),
};

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : '';
}
