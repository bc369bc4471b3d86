/**
 * A console on a test's own deployment: its real database role, its real Redis user, a real port; and somebody who asks
 * it things, with whatever headers he likes (the built-in `fetch` would refuse to send some).
 */
import { createHash, randomBytes } from 'node:crypto';
import { request, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createListener } from '@sallyport/shared/db/listen';
import type { Queryable } from '@sallyport/shared/db/pool';
import { createLogger } from '@sallyport/shared/log';
import { dropRedisUsers, provisionRedisUsers } from '@sallyport/shared/queue/provision-users';
import { createApp } from '../../../services/console/src/create-app.ts';
import type { OperatorTeams } from '../../../services/console/src/teams/operator-teams.ts';
import { createStreamHub } from '../../../services/console/src/timeline/stream-hub.ts';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';

export const TOKEN = randomBytes(24).toString('base64url');
export const TOKEN_SHA256 = createHash('sha256').update(TOKEN).digest('hex');

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  json: () => Record<string, unknown>;
}

export interface Ask {
  method?: string;
  headers?: Record<string, string>;
  /** Sent as an HTML form. */
  form?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
}

export interface Login {
  cookie: string;
  csrf: string;
}

export interface Console {
  deployment: TestDeployment;
  port: number;
  redisUrl: string;
  /** What the console logged, one line each. */
  lines: string[];
  ask(path: string, options?: Ask): Promise<Answer>;
  /** Asks with the operator token as a script does. */
  script(path: string, options?: Ask): Promise<Answer>;
  /** Asks as the browser of somebody who is logged in does. */
  browse(login: Login, path: string, options?: Ask): Promise<Answer>;
  login(name?: string): Promise<Login>;
  close(): Promise<void>;
}

export interface ConsoleOptions {
  db?: Queryable;
  now?: () => number;
  maxStreams?: number;
  heartbeatMs?: number;
  operatorTeams?: OperatorTeams;
}

export async function startConsole(options: ConsoleOptions = {}): Promise<Console> {
  const deployment = await createTestDeployment();
  const urls = await provisionRedisUsers({
    adminUrl: deployment.redisUrl,
    deployment: deployment.id,
  });
  const lines: string[] = [];
  const log = createLogger('console', 'info', { write: (line) => void lines.push(line) });
  const db = options.db ?? deployment.pool('console');
  const listener = createListener(
    { url: deployment.urls.console, deployment: deployment.id, process: 'console' },
    log,
  );
  const streams = createStreamHub({
    db,
    log,
    ...(options.maxStreams !== undefined && { maxStreams: options.maxStreams }),
    ...(options.heartbeatMs !== undefined && { heartbeatMs: options.heartbeatMs }),
  });
  listener.on('timeline', (subject) => streams.nudge(subject));
  const app = createApp({
    db,
    deployment: deployment.id,
    redisUrl: urls.console,
    tokenSha256: TOKEN_SHA256,
    streams,
    log,
    ...(options.now && { now: options.now }),
    ...(options.operatorTeams && { operatorTeams: options.operatorTeams }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  const ask = (path: string, asked: Ask = {}): Promise<Answer> => send(port, path, asked);
  function browse(login: Login, path: string, asked: Ask = {}): Promise<Answer> {
    const isForm = asked.form !== undefined;
    return ask(path, {
      ...asked,
      headers: {
        cookie: login.cookie,
        ...(isForm && { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' }),
        ...asked.headers,
      },
      ...(isForm && { form: { csrf: login.csrf, ...asked.form } }),
    });
  }

  return {
    deployment,
    port,
    redisUrl: urls.console,
    lines,
    ask,
    browse,
    script: (path, asked = {}) =>
      ask(path, { ...asked, headers: { authorization: `Bearer ${TOKEN}`, ...asked.headers } }),
    async login(name = 'ada') {
      const answer = await ask('/login', {
        form: { token: TOKEN, name },
        headers: { origin: `http://127.0.0.1:${port}` },
      });
      const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      const page = await ask('/halt', { headers: { cookie } });
      const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
      return { cookie, csrf };
    },
    async close() {
      streams.close();
      await app.close();
      await listener.close();
      await dropRedisUsers(deployment.redisUrl, deployment.id);
      await deployment.close();
    },
  };
}

function send(port: number, path: string, asked: Ask): Promise<Answer> {
  const body =
    asked.form === undefined
      ? asked.json === undefined
        ? undefined
        : JSON.stringify(asked.json)
      : new URLSearchParams(asked.form).toString();
  const type = asked.form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  const method = asked.method ?? (body === undefined ? 'GET' : 'POST');
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        agent: false,
        headers: {
          ...(body !== undefined && {
            'content-type': type,
            'content-length': String(Buffer.byteLength(body)),
          }),
          ...asked.headers,
        },
      },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => (text += chunk));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: text,
            json: () => JSON.parse(text) as Record<string, unknown>,
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
