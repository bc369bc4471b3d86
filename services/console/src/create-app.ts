/**
 * The console's server, assembled from its routes. What holds for all of them (headers, who asks, what an error becomes)
 * is set here once, so that no route can go without.
 */
import Fastify, { type FastifyInstance } from 'fastify';
import type { Queryable } from '@sallyport/shared/db/pool';
import type { Logger } from '@sallyport/shared/log';
import { createAttemptLimit } from './auth/attempt-limit.ts';
import { addAuthentication } from './auth/authenticate.ts';
import { createSessions } from './auth/sessions.ts';
import { logAnswer, sendError, toAnswer } from './http/answer-error.ts';
import { createGuardedDb } from './http/guarded-db.ts';
import { addFormParser } from './http/read-input.ts';
import { SECURITY_HEADERS } from './http/security-headers.ts';
import { addApiRoutes } from './routes/api-routes.ts';
import { addAssetRoutes } from './routes/asset-routes.ts';
import { addHaltRoutes } from './routes/halt-routes.ts';
import { addLoginRoutes } from './routes/login-routes.ts';
import { addQueueRoutes } from './routes/queue-routes.ts';
import { addTaskRoutes } from './routes/task-routes.ts';
import { addTeamRoutes } from './routes/team-routes.ts';
import { NO_OPERATOR_TEAMS, type OperatorTeams } from './teams/operator-teams.ts';
import type { StreamHub } from './timeline/stream-hub.ts';

const BODY_LIMIT_BYTES = 16 * 1024;
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 256;

export interface ConsoleOptions {
  db: Queryable;
  deployment: string;
  redisUrl: string;
  /** SHA-256 of the operator token, 64 hexadecimal digits. */
  tokenSha256: string;
  streams: StreamHub;
  /** The teams of the operator's file, for showing. */
  operatorTeams?: OperatorTeams;
  log: Logger;
  now?: () => number;
}

/** Assembles the server; it does not listen yet. */
export function createApp(options: ConsoleOptions): FastifyInstance {
  const { deployment, log, redisUrl, streams } = options;
  const now = options.now ?? Date.now;
  const db = createGuardedDb(options.db);
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  const sessions = createSessions(now);
  const auth = { tokenSha256: options.tokenSha256, sessions, attempts: createAttemptLimit(now) };

  app.addHook('onRequest', async (_request, reply) => void reply.headers(SECURITY_HEADERS));
  app.setErrorHandler((error, request, reply) => {
    const answer = toAnswer(error);
    logAnswer(log, answer, error);
    return sendError(request, reply, answer);
  });
  app.setNotFoundHandler((request, reply) =>
    sendError(request, reply, {
      status: 404,
      code: 'not_found',
      message: 'There is nothing here.',
    }),
  );
  addFormParser(app);
  addAuthentication(app, auth);

  app.get('/health', { config: { open: true } }, async (_request, reply) => {
    const healthy = await db.query('select 1').then(
      () => true,
      () => false,
    );
    return reply.code(healthy ? 200 : 503).send({ status: healthy ? 'ok' : 'unavailable' });
  });
  const pages = { db, deployment, sessions, streams };
  addAssetRoutes(app);
  addLoginRoutes(app, auth);
  addTaskRoutes(app, pages);
  addHaltRoutes(app, pages);
  addTeamRoutes(app, { ...pages, operatorTeams: options.operatorTeams ?? NO_OPERATOR_TEAMS });
  addApiRoutes(app, pages);
  addQueueRoutes(app, { redisUrl, deployment, log });
  return app;
}
