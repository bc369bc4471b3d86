/** Pages of a list with GitHub's `Link` header, whose addresses name the repository by id, as GitHub's do. */
import { apiUrl } from '../view/common.ts';
import { ok, type Reply } from './reply.ts';
import type { RestContext } from './route.ts';

const DEFAULT_PER_PAGE = 30;
const MAX_PER_PAGE = 100;

function pageAddress(context: RestContext, query: Readonly<Record<string, string>>): string {
  const { state, repo, request } = context;
  const path =
    repo === null
      ? request.path
      : request.path.replace(/^\/repos\/[^/]+\/[^/]+/, `/repositories/${repo.id}`);
  return `${apiUrl(state)}${path}?${new URLSearchParams(query).toString()}`;
}

function perPageOf(context: RestContext): number {
  const asked = Number(context.request.query['per_page'] ?? DEFAULT_PER_PAGE);
  return Math.min(MAX_PER_PAGE, Math.max(1, Number.isInteger(asked) ? asked : DEFAULT_PER_PAGE));
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly headers: Readonly<Record<string, string>>;
}

/** The page that the request asks for. */
export function pageOf<T>(context: RestContext, all: readonly T[]): Page<T> {
  const perPage = perPageOf(context);
  const page = Math.max(1, Number(context.request.query['page'] ?? 1) || 1);
  const last = Math.max(1, Math.ceil(all.length / perPage));
  const link = (to: number, rel: string): string =>
    `<${pageAddress(context, { ...context.request.query, page: String(to) })}>; rel="${rel}"`;
  const before = page > 1 ? [link(page - 1, 'prev')] : [];
  const after = page < last ? [link(page + 1, 'next'), link(last, 'last')] : [];
  const first = page > 1 ? [link(1, 'first')] : [];
  const links = [...before, ...after, ...first];
  return {
    items: all.slice((page - 1) * perPage, page * perPage),
    headers: links.length === 0 ? {} : { link: links.join(', ') },
  };
}

export async function listReply<T>(
  context: RestContext,
  all: readonly T[],
  view: (item: T) => unknown,
): Promise<Reply> {
  const page = pageOf(context, all);
  return ok(await Promise.all(page.items.map(view)), page.headers);
}

/** Cursor pages, newest first: the form that `/app/hook/deliveries` alone uses. */
export function cursorPage<T extends { readonly id: number }>(
  context: RestContext,
  newestFirst: readonly T[],
): Page<T> {
  const perPage = perPageOf(context);
  const cursor = context.request.query['cursor'];
  const rest =
    cursor === undefined
      ? newestFirst
      : newestFirst.filter((item) => item.id < Number(cursor.replace(/^v1_/, '')));
  const items = rest.slice(0, perPage);
  const lastId = items.at(-1)?.id;
  if (rest.length <= perPage || lastId === undefined) return { items, headers: {} };
  const next = pageAddress(context, { ...context.request.query, cursor: `v1_${lastId}` });
  return { items, headers: { link: `<${next}>; rel="next"` } };
}
