/** The whole of what the guard offers, in one list: what a driver of sandboxes needs of an engine, and the workspace. */
import { nameForLauncher, type CreateContainer } from './containers/create-container.ts';
import type { ContainerActs, WaitCondition } from './containers/container-acts.ts';
import type { OwnContainers } from './engine/own-containers.ts';
import { readJsonBody, requireLength, requireNoBody } from './http/read-body.ts';
import type { Answer, Asked, Route } from './http/router.ts';
import type { Leases } from './leases.ts';
import { FILE_MAX_BYTES, type WorkspaceStore } from './workspace/workspace-store.ts';

export interface RouteMeans {
  deployment: string;
  /** What `/info` tells. */
  about: Readonly<Record<string, unknown>>;
  create: CreateContainer;
  acts: ContainerActs;
  containers: OwnContainers;
  leases: Leases;
  store: WorkspaceStore;
}

const SWITCH = /^(?:0|1|true|false)$/;
const ANY_NAME = /^/;
const NUMBER = /^[0-9]{1,9}$/;
const DONE: Answer = { status: 204 };

/** The routes, each of which answers or throws an AppError. Attaching is no request with an answer, and has its own way. */
export function createRoutes(means: RouteMeans): readonly Route[] {
  return [...engineRoutes(means), ...workspaceRoutes(means)];
}

function engineRoutes(means: RouteMeans): Route[] {
  const { about, create, acts, containers, deployment } = means;
  return [
    { method: 'GET', path: '/_ping', handle: bare(() => ok('OK')) },
    { method: 'HEAD', path: '/_ping', handle: bare(() => ok('OK')) },
    { method: 'GET', path: '/info', handle: bare(() => ok(about)) },
    {
      method: 'POST',
      path: '/containers/create',
      query: { name: ANY_NAME },
      async handle({ request, query }) {
        const body = await readJsonBody(request);
        return { status: 201, json: await create(query.get('name') ?? '', body) };
      },
    },
    {
      method: 'GET',
      path: '/containers/json',
      query: { all: SWITCH },
      handle: bare(async () => {
        const listed = await containers.list('all');
        return ok(
          listed.map(({ Id, Names, labels, State, Status, Created }) => ({
            Id,
            Names: (Names ?? []).map((name) => `/${nameForLauncher(deployment, name)}`),
            Labels: labels,
            State,
            Status,
            Created,
          })),
        );
      }),
    },
    {
      method: 'GET',
      path: '/containers/:id/json',
      handle: bare(async ({ part }) => {
        const { Id, Name, State, labels } = await containers.inspect(part('id'));
        const name = `/${nameForLauncher(deployment, Name)}`;
        return ok({ Id, Name: name, State, Labels: labels, Config: { Labels: labels } });
      }),
    },
    {
      method: 'POST',
      path: '/containers/:id/start',
      handle: bare(async ({ part }) => ((await acts.start(part('id'))) ? DONE : { status: 304 })),
    },
    {
      method: 'POST',
      path: '/containers/:id/wait',
      query: { condition: /^(?:next-exit|not-running)$/ },
      handle: bare(async ({ part, query, gone }) => {
        const condition = (query.get('condition') ?? 'not-running') as WaitCondition;
        return ok(await acts.wait(part('id'), condition, gone));
      }),
    },
    {
      method: 'POST',
      path: '/containers/:id/kill',
      query: { signal: /^(?:SIG)?(?:TERM|KILL)$/ },
      handle: bare(async ({ part, query }) => {
        await acts.kill(
          part('id'),
          query.get('signal')?.endsWith('TERM') === true ? 'TERM' : 'KILL',
        );
        return DONE;
      }),
    },
    {
      method: 'DELETE',
      path: '/containers/:id',
      query: { force: SWITCH, v: SWITCH },
      handle: bare(async ({ part, query }) => {
        await acts.remove(part('id'), ['1', 'true'].includes(query.get('force') ?? ''));
        return DONE;
      }),
    },
    {
      method: 'GET',
      path: '/containers/:id/stats',
      query: { stream: /^(?:0|false)$/, 'one-shot': SWITCH },
      handle: bare(async ({ part }) => ok(await acts.use(part('id')))),
    },
  ];
}

function workspaceRoutes({ leases, store }: RouteMeans): Route[] {
  return [
    {
      method: 'POST',
      path: '/leases/:instance',
      handle: bare(async ({ part }) => {
        leases.renew(part('instance'));
        return DONE;
      }),
    },
    {
      method: 'PUT',
      path: '/workspace/directories/*name',
      handle: bare(async ({ part }) => done(store.makeDirectory(part('name')))),
    },
    {
      method: 'GET',
      path: '/workspace/directories/*name',
      handle: bare(async ({ part }) => ok(await store.list(part('name')))),
    },
    {
      method: 'DELETE',
      path: '/workspace/directories/*name',
      handle: bare(async ({ part }) => done(store.remove(part('name')))),
    },
    {
      method: 'PUT',
      path: '/workspace/files/*name',
      async handle({ request, part }) {
        requireLength(request, FILE_MAX_BYTES);
        return done(store.writeFile(part('name'), request));
      },
    },
    {
      method: 'GET',
      path: '/workspace/files/*name',
      query: { max: NUMBER },
      handle: bare(async ({ part, query }) => {
        const max = Math.min(Number(query.get('max') ?? FILE_MAX_BYTES), FILE_MAX_BYTES);
        const read = await store.readFile(part('name'), max);
        if (read.kind === 'read') return { status: 200, bytes: read.bytes };
        return { status: 404, json: { kind: read.kind, message: `${part('name')}: ${read.kind}` } };
      }),
    },
    {
      method: 'GET',
      path: '/workspace/usage/*name',
      handle: bare(async ({ part }) => ok({ bytes: await store.measure(part('name')) })),
    },
  ];
}

function ok(json: unknown): Answer {
  return { status: 200, json };
}

async function done(act: Promise<void>): Promise<Answer> {
  await act;
  return DONE;
}

/** For requests that say everything in their first line. */
function bare(handle: (asked: Asked) => Answer | Promise<Answer>): Route['handle'] {
  return async (asked) => {
    await requireNoBody(asked.request);
    return handle(asked);
  };
}
