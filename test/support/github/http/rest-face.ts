/**
 * One REST exchange from path to reply: find the repository (by name, by id, by a former name), find the route, let the
 * caller in or not, act, and hold both sides against GitHub's description.
 */
import { randomBytes } from 'node:crypto';
import { AppError } from '@sallyport/shared/errors';
import { coversRepository } from '../app/tokens.ts';
import { findRepo, fullNameOf, recordViolation, type State } from '../state/state.ts';
import type { RecordedRequest, Repo } from '../state/types.ts';
import { apiUrl } from '../view/common.ts';
import { acceptedPermissions, authenticate, authorize } from './authenticate.ts';
import type { Audit } from './audit.ts';
import type { RateLimit } from './rate-limit.ts';
import { Refused, notFound, type Reply } from './reply.ts';
import type { Actor, EchoSubject, RestContext, RouteFinder, RouteMatch } from './route.ts';
import { createTurns } from './turns.ts';

export interface RestFaceParts {
  readonly state: State;
  readonly audit: Audit;
  readonly findRoute: RouteFinder;
  readonly rateLimit: RateLimit;
  readonly echo: (event: string, action: string | null, subject: EchoSubject) => void;
}

export interface RawRest {
  readonly method: string;
  /** After `/api`, percent-encoded, without the query. */
  readonly path: string;
  readonly search: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly record: RecordedRequest;
}

export type RestFace = (raw: RawRest) => Promise<Reply>;

interface Located {
  readonly path: string;
  readonly repo: Repo | null;
}

/** A redirect to the address by id, which is how GitHub answers for a repository that was renamed or transferred. */
class Moved extends Error {
  readonly reply: Reply;
  constructor(status: number, location: string) {
    super('moved');
    const body = {
      message: status === 301 ? 'Moved Permanently' : 'Temporary Redirect',
      url: location,
    };
    this.reply = {
      status,
      body: { ...body, documentation_url: 'https://docs.github.com/rest' },
      headers: { location },
    };
  }
}

function locate(state: State, raw: RawRest, actor: Actor): Located {
  const byId = /^\/repositories\/(\d+)(\/.*)?$/.exec(raw.path);
  if (byId) {
    const repo = state.repos.get(Number(byId[1]));
    if (!repo || repo.deleted) throw notFound();
    const name = fullNameOf(state, repo).split('/').map(encodeURIComponent).join('/');
    return { path: `/repos/${name}${byId[2] ?? ''}`, repo };
  }
  const byName = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(raw.path);
  if (!byName) return { path: raw.path, repo: null };
  const fullName = `${decodeURIComponent(byName[1] ?? '')}/${decodeURIComponent(byName[2] ?? '')}`;
  const repo = findRepo(state, fullName);
  if (repo) return { path: raw.path, repo };
  const former = state.formerNames.get(fullName.toLowerCase());
  if (!former || state.repos.get(former.repoId)?.deleted !== false) throw notFound();
  if (actor.kind === 'token' && !coversRepository(state, actor.token, former.repoId))
    throw notFound();
  const status = raw.method === 'GET' ? 301 : former.status;
  throw new Moved(
    status,
    `${apiUrl(state)}/repositories/${former.repoId}${byName[3] ?? ''}${raw.search}`,
  );
}

function parseBody(raw: RawRest): Record<string, unknown> {
  if (raw.body.length === 0) return {};
  try {
    const value: unknown = JSON.parse(raw.body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    throw new Refused(400, 'Problems parsing JSON');
  }
  throw new Refused(400, 'Body should be a JSON object');
}

export function createRestFace(parts: RestFaceParts): RestFace {
  const { state } = parts;
  const turns = createTurns();

  function find(raw: RawRest, path: string): RouteMatch {
    const match = parts.findRoute(raw.method, path);
    if (match) return match;
    recordViolation(state, `${raw.method} ${raw.path}`, 'unknown_request');
    throw notFound();
  }

  async function act(
    raw: RawRest,
    seen: { actor: Actor; match: RouteMatch | null },
  ): Promise<Reply> {
    seen.actor = authenticate(state, raw.headers['authorization']);
    const { record } = raw;
    const { actor } = seen;
    Object.assign(record, { auth: actor.kind });
    if (actor.kind === 'token')
      Object.assign(record, { tokenId: actor.token.id, permissions: actor.token.permissions });
    const { path, repo } = locate(state, raw, actor);
    const match = find(raw, path);
    seen.match = match;
    const query = Object.fromEntries(new URLSearchParams(raw.search));
    const body = parseBody(raw);
    parts.audit.request(`${raw.method} ${raw.path}`, {
      method: raw.method,
      path: match.route.path,
      params: match.params,
      query,
      headers: raw.headers,
      body: raw.body.length === 0 ? undefined : body,
    });
    parts.rateLimit.spend(actor);
    authorize(state, match.route, actor, repo);
    const request = { method: raw.method, path, query, body };
    const context: RestContext = {
      state,
      request,
      params: match.params,
      actor,
      repo,
      echo: parts.echo,
    };
    const handle = async (): Promise<Reply> => match.route.handle(context);
    return repo === null || raw.method === 'GET' ? handle() : turns.take(repo.id, handle);
  }

  return async (raw) => {
    const seen: { actor: Actor; match: RouteMatch | null } = {
      actor: { kind: 'none' },
      match: null,
    };
    let reply: Reply;
    try {
      reply = await act(raw, seen);
    } catch (error) {
      if (error instanceof Refused || error instanceof Moved) {
        reply = error.reply;
        if (reply.status === 401)
          Object.assign(raw.record, {
            auth: raw.headers['authorization'] === undefined ? 'none' : 'invalid',
          });
      } else {
        const detail = error instanceof AppError ? `${error.message}` : String(error);
        recordViolation(state, `${raw.method} ${raw.path}`, 'stand_in_failed', detail);
        reply = { status: 500, body: { message: 'Server Error' } };
      }
    }
    const { match } = seen;
    if (match) {
      const label = `${raw.method} ${raw.path}`;
      parts.audit.reply(label, raw.method, match.route.path, reply.status, reply.body);
    }
    const needs = match?.route.needs;
    return {
      ...reply,
      headers: {
        ...parts.rateLimit.headers(seen.actor),
        'x-github-request-id': randomBytes(8).toString('hex').toUpperCase(),
        'x-github-media-type': 'github.v3; format=json',
        'x-github-api-version-selected': raw.headers['x-github-api-version'] ?? '2022-11-28',
        ...(needs ? { 'x-accepted-github-permissions': acceptedPermissions(needs) } : {}),
        ...reply.headers,
      },
    };
  };
}
