/**
 * The shape of a route and how a path finds it. Paths are spelled as in GitHub's description, so that the route, the
 * description and the permission table can be held against each other.
 */
import type { State } from '../state/state.ts';
import { AppError } from '@sallyport/shared/errors';
import type { Installation, Issue, Permissions, Repo, Token } from '../state/types.ts';
import type { Reply } from './reply.ts';
import { notFound } from './reply.ts';

export type Actor =
  | { readonly kind: 'none' }
  | { readonly kind: 'jwt' }
  | { readonly kind: 'token'; readonly token: Token; readonly installation: Installation };

export interface RestRequest {
  readonly method: string;
  /** The path after `/api`, still percent-encoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface RestContext {
  readonly state: State;
  readonly request: RestRequest;
  readonly params: Readonly<Record<string, string>>;
  readonly actor: Actor;
  /** Set for every path below `/repos/{owner}/{repo}`. */
  readonly repo: Repo | null;
  /** Tells the hook face of something that our own App did; it goes out when `echoEvents` is on. */
  readonly echo: (event: string, action: string | null, subject: EchoSubject) => void;
}

export interface EchoSubject {
  readonly repo: Repo;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  /** `jwt`: the App itself; `token`: an installation token; `any`: with or without. */
  readonly auth: 'jwt' | 'token' | 'any';
  /** Any one of these sets is enough. Omitted: nothing beyond being let in. */
  readonly needs?: readonly Permissions[];
  readonly handle: (context: RestContext) => Reply | Promise<Reply>;
}

interface CompiledRoute {
  readonly route: Route;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly weight: number;
}

/** Parameters that may hold slashes when a caller does not encode them. */
const WIDE = new Set(['ref', 'path', 'branch', 'basehead']);

function compileRoute(route: Route): CompiledRoute {
  const names: string[] = [];
  const source = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    names.push(name);
    if (WIDE.has(name)) return '(.+)';
    return /(?:_id|_number)$/.test(name) ? '(\\d+)' : '([^/]+)';
  });
  return {
    route,
    names,
    pattern: new RegExp(`^${source}$`),
    weight: route.path.replaceAll(/\{\w+\}/g, '').length,
  };
}

export interface RouteMatch {
  readonly route: Route;
  readonly params: Record<string, string>;
}

export type RouteFinder = (method: string, path: string) => RouteMatch | null;

/** A finder over a route table; of several that fit, the one with the most literal text wins. */
export function createRouteFinder(routes: readonly Route[]): RouteFinder {
  const table = routes.map(compileRoute).toSorted((a, b) => b.weight - a.weight);
  return (method, path) => {
    for (const { route, pattern, names } of table) {
      const match = route.method === method ? pattern.exec(path) : null;
      if (match === null) continue;
      const values = names.map(
        (name, at) => [name, decodeURIComponent(match[at + 1] ?? '')] as const,
      );
      return { route, params: Object.fromEntries(values) };
    }
    return null;
  };
}

export function repoIn(context: RestContext): Repo {
  if (context.repo === null)
    throw new AppError('internal', `routing ${context.request.path}: no repository in this path`);
  return context.repo;
}

export function param(context: RestContext, name: string): string {
  const value = context.params[name];
  if (value === undefined) throw new AppError('internal', `reading path parameter ${name}`);
  return value;
}

/** The issue or pull request that the path names; 404 when there is none. */
export function issueIn(context: RestContext, name = 'issue_number'): Issue {
  const issue = repoIn(context).issues.get(Number(param(context, name)));
  if (!issue) throw notFound();
  return issue;
}

export function textIn(context: RestContext, name: string): string | undefined {
  const value = context.request.body[name];
  return typeof value === 'string' ? value : undefined;
}

export function tokenPermissions(actor: Actor): Permissions {
  return actor.kind === 'token' ? actor.token.permissions : {};
}
