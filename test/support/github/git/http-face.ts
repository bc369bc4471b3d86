/** Git over HTTP: GitHub's answers about who may in, then git's own `http-backend` on the bare repository. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { coversRepository, findLiveToken, includesAccess } from '../app/tokens.ts';
import type { Fault } from '../http/faults.ts';
import type { EchoSubject } from '../http/route.ts';
import { findRepo, fullNameOf, type State } from '../state/state.ts';
import { settlePush } from '../state/settle-push.ts';
import type { RecordedRequest, Repo, Token } from '../state/types.ts';
import { judgeUpdate, type RefUpdate } from './push-policy.ts';
import { ZERO_SHA } from './objects.ts';
import { readRef } from './refs.ts';
import { GIT_ENVIRONMENT } from './run-git.ts';

export interface GitPath {
  readonly fullName: string;
  readonly rest: string;
  readonly kind: 'push' | 'fetch' | 'info';
  readonly writes: boolean;
}

/** The parts of a git address, or null when the path is none. */
export function parseGitPath(path: string, service: string | null): GitPath | null {
  const match =
    /^\/([^/]+)\/([^/]+?)(?:\.git)?(\/info\/refs|\/git-upload-pack|\/git-receive-pack)$/.exec(path);
  if (!match) return null;
  const rest = match[3] ?? '';
  const writes =
    rest === '/git-receive-pack' || (rest === '/info/refs' && service === 'git-receive-pack');
  const kind = rest === '/info/refs' ? 'info' : writes ? 'push' : 'fetch';
  return {
    fullName: `${decodeURIComponent(match[1] ?? '')}/${decodeURIComponent(match[2] ?? '')}`,
    rest,
    kind,
    writes,
  };
}

interface PushInFlight {
  readonly repo: Repo;
  readonly token: Token;
  readonly refuse: readonly string[] | null;
  commands: RefUpdate[];
  refusal: string | null;
}

/** What the hook in the repository asks: whether these refs may move. */
export interface HookQuestion {
  readonly push: string;
  readonly commands: string;
  readonly objects: string | null;
  readonly alternates: string | null;
}

export interface GitFace {
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    path: GitPath,
    record: RecordedRequest,
    fault: Fault | null,
  ): Promise<void>;
  answerHook(question: HookQuestion): Promise<{ allow: boolean; message: string }>;
  /** Ends the git processes that are still running, and what they started. */
  stop(): Promise<void>;
}

interface Denial {
  readonly status: number;
  readonly text: string;
}

export function createGitFace(
  state: State,
  echo: (event: string, action: string | null, subject: EchoSubject) => void,
): GitFace {
  const inFlight = new Map<string, PushInFlight>();
  const children = new Set<ChildProcessWithoutNullStreams>();

  function admit(
    request: IncomingMessage,
    path: GitPath,
    record: RecordedRequest,
  ): Denial | { repo: Repo; token: Token } {
    const basic = /^basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (basic === undefined) return { status: 401, text: 'No anonymous access.' };
    const pair = Buffer.from(basic, 'base64').toString('utf8');
    const token = findLiveToken(state, pair.slice(pair.indexOf(':') + 1));
    if (!token) {
      Object.assign(record, { auth: 'invalid' });
      return {
        status: 401,
        text: 'Invalid username or token. Password authentication is not supported for Git operations.',
      };
    }
    Object.assign(record, { auth: 'token', tokenId: token.id, permissions: token.permissions });
    const repo = findRepo(state, path.fullName);
    if (!repo || !coversRepository(state, token, repo.id))
      return { status: 404, text: 'Repository not found.' };
    if (state.installations.get(token.installationId)?.suspendedAt)
      return { status: 403, text: 'This installation has been suspended' };
    if (!includesAccess(token.permissions, 'contents', path.writes ? 'write' : 'read')) {
      const text = path.writes
        ? 'Write access to repository not granted.'
        : 'Resource not accessible by integration';
      return { status: 403, text };
    }
    if (path.writes && repo.archived)
      return { status: 403, text: 'This repository was archived so it is read-only.' };
    return { repo, token };
  }

  function backend(
    request: IncomingMessage,
    path: GitPath,
    repo: Repo,
    extra: Record<string, string>,
  ): ChildProcessWithoutNullStreams {
    const url = new URL(request.url ?? '/', state.url);
    const header = (name: string): string => {
      const value = request.headers[name];
      return typeof value === 'string' ? value : '';
    };
    const child = spawn('git', ['http-backend'], {
      // Its own group: the processes that git starts in turn must be reachable at the end.
      detached: true,
      env: {
        ...GIT_ENVIRONMENT,
        GIT_PROJECT_ROOT: repo.gitDir,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: path.rest,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: header('content-type'),
        HTTP_CONTENT_ENCODING: header('content-encoding'),
        GIT_PROTOCOL: header('git-protocol'),
        REMOTE_USER: 'x-access-token',
        REMOTE_ADDR: '127.0.0.1',
        ...(header('content-length') === '' ? {} : { CONTENT_LENGTH: header('content-length') }),
        ...extra,
      },
    });
    children.add(child);
    child.on('close', () => children.delete(child));
    return child;
  }

  /** Runs the backend to its end and gives its CGI output; a push's reply must be whole before it can be lost. */
  async function collect(
    request: IncomingMessage,
    child: ChildProcessWithoutNullStreams,
  ): Promise<Buffer> {
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.stderr.resume();
    const ended = new Promise<void>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', () => resolve());
    });
    // The client may be gone, or git may have stopped reading: either way what the backend said is what counts.
    await pipeline(request, child.stdin).catch(() => undefined);
    await ended;
    return Buffer.concat(parts);
  }

  function sendCgi(response: ServerResponse, output: Buffer): number {
    const split = output.indexOf('\r\n\r\n');
    const headers = output.subarray(0, Math.max(0, split)).toString('utf8').split('\r\n');
    let status = split < 0 ? 500 : 200;
    for (const line of headers) {
      const colon = line.indexOf(':');
      const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
      if (name.toLowerCase() === 'status') status = Number(value.slice(0, 3));
      else if (name !== '') response.setHeader(name, value);
    }
    response.writeHead(status).end(output.subarray(split + 4));
    return status;
  }

  async function settle(push: PushInFlight): Promise<void> {
    if (push.commands.length === 0) return;
    const commands = await Promise.all(
      push.commands.map(async (command) => {
        const now = (await readRef(push.repo.gitDir, command.ref))?.sha ?? ZERO_SHA;
        return { ...command, ok: push.refusal === null && now === command.after };
      }),
    );
    const { repo, token, refusal } = push;
    await settlePush(state, {
      repo,
      via: 'git',
      tokenId: token.id,
      permissions: token.permissions,
      commands,
      refusal,
      echo,
    });
  }

  return {
    handle: async (request, response, path, record, fault) => {
      const former = findRepo(state, path.fullName)
        ? undefined
        : state.formerNames.get(path.fullName.toLowerCase());
      const renamed = former && state.repos.get(former.repoId);
      if (renamed && path.kind === 'info') {
        const search = new URL(request.url ?? '/', state.url).search;
        record.status = 301;
        response
          .writeHead(301, {
            location: `${state.url}/${fullNameOf(state, renamed)}.git${path.rest}${search}`,
          })
          .end();
        return;
      }
      const admitted = admit(request, path, record);
      if ('status' in admitted) {
        record.status = admitted.status;
        const challenge =
          admitted.status === 401 ? { 'www-authenticate': 'Basic realm="GitHub"' } : {};
        request.resume();
        response
          .writeHead(admitted.status, { 'content-type': 'text/plain', ...challenge })
          .end(admitted.text);
        return;
      }
      const { repo, token } = admitted;
      const id = randomUUID();
      const push: PushInFlight = {
        repo,
        token,
        refuse: fault?.refusePush ?? null,
        commands: [],
        refusal: null,
      };
      inFlight.set(id, push);
      const hook = {
        STANDIN_PUSH: id,
        STANDIN_URL: `${state.url}/_hook`,
        STANDIN_SECRET: state.secret,
      };
      try {
        const output = await collect(
          request,
          backend(request, path, repo, path.kind === 'push' ? hook : {}),
        );
        if (path.kind === 'push') await settle(push);
        if (fault?.cut === 'after') {
          record.cut = true;
          response.destroy();
          return;
        }
        record.status = sendCgi(response, output);
      } finally {
        inFlight.delete(id);
      }
    },
    answerHook: async ({ push: id, commands, objects, alternates }) => {
      const push = inFlight.get(id);
      if (!push) return { allow: false, message: 'unknown push\n' };
      push.commands = commands
        .split('\n')
        .filter(Boolean)
        .map((line) => {
          const [before = '', after = '', ...ref] = line.split(' ');
          return { before, after, ref: ref.join(' ') };
        });
      const env = {
        ...(objects === null ? {} : { GIT_OBJECT_DIRECTORY: objects }),
        ...(alternates === null ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates }),
      };
      const context = { state, repo: push.repo, permissions: push.token.permissions, env };
      const lines: string[] = [...(push.refuse ?? [])];
      for (const command of push.commands)
        lines.push(...((await judgeUpdate(context, command))?.lines ?? []));
      if (lines.length === 0) return { allow: true, message: '' };
      push.refusal = lines.join('\n');
      return { allow: false, message: `${push.refusal}\n` };
    },
    stop: async () => {
      const ended = [...children].map((child) => once(child, 'close'));
      for (const { pid } of children) {
        try {
          if (pid !== undefined) process.kill(-pid, 'SIGKILL');
        } catch {
          // It ended between the look and the signal, and its end is what was wanted.
        }
      }
      await Promise.all(ended);
    },
  };
}
