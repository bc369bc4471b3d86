/**
 * The one listener on loopback: it records every request, lets a fault have its way, and hands over to the face that the
 * path belongs to. What no face knows is answered with 404 and counts as a violation.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseGitPath, type GitFace, type HookQuestion } from '../git/http-face.ts';
import { recordViolation, type State } from '../state/state.ts';
import type { RecordedRequest } from '../state/types.ts';
import type { Fault, Faults } from './faults.ts';
import type { Reply } from './reply.ts';
import type { RestFace } from './rest-face.ts';

export interface ServerParts {
  readonly state: State;
  readonly faults: Faults;
  readonly rest: RestFace;
  readonly graphql: (
    body: Buffer,
    authorization: string | undefined,
    record: RecordedRequest,
  ) => Promise<Reply>;
  readonly git: GitFace;
  readonly control: (path: string, body: Buffer) => Promise<Reply>;
  readonly controlToken: string;
  readonly port: number;
}

function equalSecrets(given: string | undefined, wanted: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function sendReply(response: ServerResponse, reply: Reply, date: Date): void {
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  response.setHeader('date', date.toUTCString());
  if (reply.body === undefined) {
    response.writeHead(reply.status).end();
    return;
  }
  const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
  if (!response.hasHeader('content-type')) {
    response.setHeader(
      'content-type',
      typeof reply.body === 'string' ? 'text/html' : 'application/json; charset=utf-8',
    );
  }
  response.writeHead(reply.status, { 'content-length': Buffer.byteLength(text) }).end(text);
}

function parseJson(body: Buffer): unknown {
  try {
    return body.length === 0 ? null : JSON.parse(body.toString('utf8'));
  } catch {
    return body.toString('latin1');
  }
}

function newRecord(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  face: RecordedRequest['face'],
  path: string,
): RecordedRequest {
  const began = performance.now();
  const headers = Object.entries(request.headers).filter(([name]) => name !== 'authorization');
  const record: RecordedRequest = {
    at: state.now(),
    face,
    method: request.method ?? 'GET',
    path,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    auth: 'none',
    tokenId: null,
    permissions: null,
    body: null,
    status: null,
    cut: false,
    durationMs: 0,
  };
  response.once('close', () => {
    record.durationMs = performance.now() - began;
  });
  return record;
}

/** True when the fault has already settled the exchange and nothing must happen. */
async function faultBefore(
  response: ServerResponse,
  fault: Fault | null,
  record: RecordedRequest,
  state: State,
): Promise<boolean> {
  if (fault?.delayMs !== undefined) await delay(fault.delayMs, undefined, { ref: false });
  if (fault?.cut === 'before') {
    record.cut = true;
    response.destroy();
    return true;
  }
  if (fault?.status === undefined || fault.cut === 'after') return false;
  record.status = fault.status;
  const body = fault.body ?? {
    message: 'a fault of the stand-in',
    documentation_url: 'https://docs.github.com/rest',
  };
  sendReply(response, { status: fault.status, body, headers: fault.headers ?? {} }, state.now());
  return true;
}

export async function startServer(parts: ServerParts): Promise<Server> {
  const { state } = parts;

  async function serveApi(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
  ): Promise<void> {
    const path = url.pathname.slice('/api'.length);
    const isGraphql = path === '/graphql' && request.method === 'POST';
    const record = newRecord(state, request, response, url, isGraphql ? 'graphql' : 'rest', path);
    state.requests.push(record);
    const body = await readBody(request);
    Object.assign(record, { body: parseJson(body) });
    const fault = parts.faults.take({ method: record.method, path, git: null });
    if (await faultBefore(response, fault, record, state)) return;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const reply = isGraphql
      ? await parts.graphql(body, request.headers.authorization, record)
      : await parts.rest({
          method: record.method,
          path,
          search: url.search,
          headers,
          body,
          record,
        });
    if (fault?.cut === 'after') {
      record.cut = true;
      response.destroy();
      return;
    }
    record.status = reply.status;
    sendReply(
      response,
      { ...reply, headers: { ...reply.headers, ...fault?.headers } },
      state.now(),
    );
  }

  async function serveGit(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
  ): Promise<boolean> {
    const path = parseGitPath(url.pathname, url.searchParams.get('service'));
    if (!path) return false;
    const record = newRecord(state, request, response, url, 'git', url.pathname);
    state.requests.push(record);
    // curl silently repeats a request whose reused connection was cut; without reuse a fault is seen by git itself.
    response.setHeader('connection', 'close');
    // Before a large push git sends four bytes to see whether it may; a fault is meant for the push.
    const isProbe = path.kind === 'push' && request.headers['content-length'] === '4';
    const fault = parts.faults.take({
      method: record.method,
      path: url.pathname,
      git: isProbe ? 'info' : path.kind,
    });
    if (await faultBefore(response, fault, record, state)) return true;
    await parts.git.handle(request, response, path, record, fault);
    return true;
  }

  async function serveHook(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const known = equalSecrets(
      request.headers['x-standin-secret'] as string | undefined,
      state.secret,
    );
    const answer = known
      ? await parts.git.answerHook(JSON.parse(body.toString('utf8')) as HookQuestion)
      : { allow: false, message: 'no' };
    sendReply(response, { status: known ? 200 : 403, body: answer }, state.now());
  }

  async function serveControl(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
  ): Promise<void> {
    const given = /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const body = await readBody(request);
    const allowed = equalSecrets(given, parts.controlToken);
    const reply = allowed
      ? await parts.control(url.pathname.slice('/_control/'.length), body)
      : { status: 401, body: { message: 'no' } };
    sendReply(response, reply, state.now());
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', state.url);
    if (url.pathname === '/api' || url.pathname.startsWith('/api/'))
      return serveApi(request, response, url);
    if (url.pathname === '/_hook') return serveHook(request, response);
    if (url.pathname.startsWith('/_control/')) return serveControl(request, response, url);
    if (await serveGit(request, response, url)) return;
    const record = newRecord(state, request, response, url, 'unknown', url.pathname);
    record.status = 404;
    state.requests.push(record);
    recordViolation(state, `${record.method} ${url.pathname}`, 'unknown_request');
    request.resume();
    sendReply(response, { status: 404, body: { message: 'Not Found' } }, state.now());
  }

  const server = createServer((request, response) => {
    // The caller may cut the connection at any time; that is its right and no fault of the stand-in.
    response.on('error', () => undefined);
    serve(request, response).catch((error: unknown) => {
      if (request.destroyed && !request.complete) return;
      recordViolation(
        state,
        `${request.method ?? ''} ${request.url ?? ''}`,
        'stand_in_failed',
        String(error),
      );
      if (response.headersSent) response.destroy();
      else sendReply(response, { status: 500, body: { message: 'Server Error' } }, state.now());
    });
  });
  server.requestTimeout = 0;
  // Longer than any client keeps a connection: a request must not meet a connection that is just being closed.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(parts.port, '127.0.0.1', resolve);
  });
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return server;
}
