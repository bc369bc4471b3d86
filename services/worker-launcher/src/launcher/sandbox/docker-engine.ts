/**
 * The calls of an engine that a sandbox needs, through its guard's socket. The engine's client library speaks here and
 * nowhere else: it repeats what it asks for in the body, which a guard has no use for, and knows errors by their text.
 */
import type { Socket } from 'node:net';
import { AppError, type ErrorCode } from '@sallyport/shared/errors';
import type Docker from 'dockerode';
import { z } from 'zod';
import { attachToInput } from './docker-attach.ts';
import type { GuardCreate } from './docker-body.ts';
import { attachToOutput, type OutputConnection } from './docker-output.ts';

export interface ContainerState {
  running: boolean;
  exitCode: number;
  oomKilled: boolean;
}

export interface EngineContainer {
  readonly id: string;
  /** Its output, in frames. */
  attachOutput(): Promise<OutputConnection>;
  /** Its input, which ends with the writing side of this connection. */
  attachInput(): Promise<Socket>;
  /** The exit status; `next-exit` also when it was not started yet. */
  wait(condition: 'next-exit' | 'not-running'): Promise<number>;
  start(): Promise<void>;
  inspect(): Promise<ContainerState>;
  kill(signal: 'TERM' | 'KILL'): Promise<void>;
  /** Ends and removes it; one that is gone already is fine. */
  remove(): Promise<void>;
  /** What it uses at this moment. */
  use(): Promise<{ memoryBytes: number; processes: number }>;
}

export interface ListedContainer {
  id: string;
  names: string[];
  labels: Readonly<Record<string, string>>;
}

/**
 * Every call rejects with an AppError: `unavailable` when nobody answers, `not_found`, `conflict`, `forbidden` (not
 * offered), `bad_input`, `internal`; its message is the engine's or the guard's own.
 */
export interface Engine {
  create(name: string, body: GuardCreate): Promise<EngineContainer>;
  /** All containers of this deployment, in every state. */
  list(): Promise<ListedContainer[]>;
  container(id: string): EngineContainer;
}

/** Creates the access through this unix socket. */
export function createEngine(socketPath: string): Engine {
  // A connection is never used twice: one that the other side has just closed would lose a request. Not by an agent of its
  // own, which the library would write out with all its connections at every request.
  let loaded: Promise<Docker> | undefined;
  /** Loaded when it is needed: launchers without an engine do not pay for its sixty packages. */
  function docker(): Promise<Docker> {
    loaded ??= import('dockerode').then(
      (library) => new library.default({ socketPath, headers: { Connection: 'close' } }),
    );
    return loaded;
  }

  async function call<T>(what: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw asAppError(what, error, socketPath);
    }
  }

  function access(id: string): EngineContainer {
    const container = async (): Promise<Docker.Container> => (await docker()).getContainer(id);
    return {
      id,
      attachOutput: () => call('attaching to a container', () => attachToOutput(socketPath, id)),
      attachInput: () => call('attaching to a container', () => attachToInput(socketPath, id)),
      wait: (condition) =>
        call('waiting for a container', async () => {
          const answer: unknown = await (await container()).wait(withoutBody({ condition }));
          return WaitSchema.parse(answer).StatusCode;
        }),
      start: () => call('starting a container', async () => (await container()).start()),
      inspect: () =>
        call('looking at a container', async () => {
          const { State } = InspectSchema.parse(await (await container()).inspect());
          return {
            running: State.Running,
            exitCode: State.ExitCode,
            oomKilled: State.OOMKilled,
          };
        }),
      kill: (signal) =>
        call('signalling a container', async () =>
          (await container()).kill(withoutBody({ signal })),
        ),
      remove: () =>
        call('removing a container', async () =>
          (await container()).remove({ force: true, v: true }),
        ).catch(ignoring('not_found')),
      use: () =>
        call('measuring a container', async () => {
          const stats = StatsSchema.parse(await (await container()).stats({ stream: false }));
          return {
            memoryBytes: stats.memory_stats.max_usage ?? stats.memory_stats.usage ?? 0,
            processes: stats.pids_stats.current ?? 0,
          };
        }),
    };
  }

  return {
    container: access,
    create: (name, body) =>
      call('creating a container', async () => {
        const { id } = await (
          await docker()
        ).createContainer({ _query: { name }, _body: body } as object);
        return access(id);
      }),
    list: () =>
      call('listing containers', async () => {
        const listed = ListSchema.parse(await (await docker()).listContainers({ all: true }));
        return listed.map(({ Id, Names, Labels }) => ({
          id: Id,
          names: Names.map((name) => name.replace(/^\//, '')),
          labels: Labels ?? {},
        }));
      }),
  };
}

/** A handler that lets errors of this code pass for success. */
export function ignoring(...codes: ErrorCode[]): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof AppError) || !codes.includes(error.code)) throw error;
  };
}

const WaitSchema = z.object({ StatusCode: z.int() });
const InspectSchema = z.object({
  State: z.object({ Running: z.boolean(), ExitCode: z.int(), OOMKilled: z.boolean() }),
});
const StatsSchema = z.object({
  memory_stats: z.object({ usage: z.number().optional(), max_usage: z.number().optional() }),
  pids_stats: z.object({ current: z.number().optional() }),
});
const ListSchema = z.array(
  z.object({
    Id: z.string(),
    Names: z.array(z.string()),
    Labels: z.record(z.string(), z.string()).nullish(),
  }),
);

/** The library's words for parameters that stand in the path alone. */
function withoutBody<T extends object>(query: T): T {
  return { _query: query, _body: {} } as unknown as T;
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_input',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  503: 'unavailable',
};

function asAppError(what: string, cause: unknown, socketPath: string): AppError {
  if (cause instanceof AppError) return cause;
  const { statusCode, json, code } = (cause ?? {}) as {
    statusCode?: number;
    json?: { message?: string };
    code?: string;
  };
  if (statusCode === undefined && code !== undefined) {
    const mend = 'start engine-guard, or set GUARD_SOCKET to where it listens';
    return new AppError(
      'unavailable',
      `${what}: the engine's guard at ${socketPath} does not answer (${code}); ${mend}`,
      { cause },
    );
  }
  const words = json?.message ?? (cause instanceof Error ? cause.message : String(cause));
  return new AppError(CODES[statusCode ?? 500] ?? 'internal', `${what}: ${words}`, {
    cause,
    detail: { status: statusCode },
  });
}
