/**
 * The list of what is offered, and the search in it. What is not on the list is refused by name; a parameter that a route
 * does not know is refused as well, because an engine might.
 */
import type { IncomingMessage } from 'node:http';
import { AppError } from '@sallyport/shared/errors';
import type { RequestTarget } from './request-target.ts';

export interface Answer {
  status: number;
  json?: unknown;
  bytes?: Buffer;
}

export interface Asked {
  request: IncomingMessage;
  /** The parts that stand for themselves: `id`, `name`. */
  readonly part: (name: string) => string;
  query: ReadonlyMap<string, string>;
  /** Aborted when whoever asked is gone. */
  gone: AbortSignal;
}

export interface Route {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** `:id` stands for one part, `*name` at the end for all that follow. */
  path: string;
  /** The parameters that it takes, and the values of each. */
  query?: Readonly<Record<string, RegExp>>;
  handle(asked: Asked): Promise<Answer>;
}

export interface FoundRoute {
  route: Route;
  parts: ReadonlyMap<string, string>;
}

/**
 * The route for this request.
 * @throws AppError `forbidden` when nothing of the kind is offered, `bad_input` for a parameter that it does not take.
 */
export function findRoute(
  routes: readonly Route[],
  method: string,
  { segments, query }: RequestTarget,
): FoundRoute {
  for (const route of routes) {
    const parts = route.method === method ? matchPath(route.path, segments) : undefined;
    if (parts === undefined) continue;
    for (const [name, value] of query) {
      if (route.query?.[name]?.test(value) === true) continue;
      throw new AppError('bad_input', `${method} ${route.path}: takes no ${name}=${value}`);
    }
    return { route, parts };
  }
  const path = `/${segments.join('/')}`.slice(0, 200);
  throw new AppError(
    'forbidden',
    `${method.slice(0, 20)} ${path} is not offered: the guard makes, runs and removes the sandboxes of one deployment`,
  );
}

function matchPath(path: string, segments: readonly string[]): Map<string, string> | undefined {
  const pattern = path.split('/').slice(1);
  const parts = new Map<string, string>();
  for (const [i, part] of pattern.entries()) {
    const segment = segments[i];
    if (segment === undefined) return undefined;
    if (part.startsWith('*')) {
      parts.set(part.slice(1), segments.slice(i).join('/'));
      return parts;
    }
    if (part.startsWith(':')) parts.set(part.slice(1), segment);
    else if (part !== segment) return undefined;
  }
  return pattern.length === segments.length ? parts : undefined;
}
