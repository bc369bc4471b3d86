/** What the stand-in's own tests start from: one repository, real Octokit clients, and a real git as the caller. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { createGithub, type Github, type GithubOptions } from './create-github.ts';
import type { AddRepo, RepoHandle } from './verbs.ts';

const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export interface World {
  readonly github: Github;
  readonly repo: RepoHandle;
  readonly at: { readonly owner: string; readonly repo: string };
  /** Octokit as the App itself. */
  readonly app: Octokit;
  /** A token for the repository, narrowed as asked. */
  mint(permissions?: Record<string, 'read' | 'write'>): Promise<string>;
  client(token: string): Octokit;
  close(): Promise<void>;
}

export async function createWorld(
  options: GithubOptions = {},
  repo: Partial<AddRepo> = {},
): Promise<World> {
  const github = await createGithub(options);
  github.addUser({ login: 'alice' });
  github.addUser({ login: 'mallory' });
  const handle = await github.addRepo({
    owner: 'acme',
    name: 'shop',
    files: { 'README.md': '# shop\n', 'src/a.ts': 'export const a = 1;\n' },
    permissions: { alice: 'maintain' },
    ...repo,
  });
  const client = (token: string): Octokit =>
    new Octokit({ baseUrl: github.apiUrl, auth: token, log: SILENT });
  const app = new Octokit({
    baseUrl: github.apiUrl,
    authStrategy: createAppAuth,
    auth: { appId: github.app.id, privateKey: github.app.privateKey },
    log: SILENT,
  });
  return {
    github,
    repo: handle,
    at: { owner: handle.owner, repo: handle.name },
    app,
    client,
    mint: async (permissions) => {
      const { data } = await app.apps.createInstallationAccessToken({
        installation_id: handle.installationId ?? 0,
        repository_ids: [handle.id],
        ...(permissions ? { permissions } : {}),
      });
      return data.token;
    },
    close: () => github.close(),
  };
}

export interface GitRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a real git as a caller of the stand-in, with nothing of this machine's configuration. */
export function runClientGit(
  cwd: string,
  args: readonly string[],
  token?: string,
): Promise<GitRun> {
  const basic = Buffer.from(`x-access-token:${token ?? ''}`).toString('base64');
  const header =
    token === undefined ? [] : ['-c', `http.extraHeader=Authorization: Basic ${basic}`];
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...header, ...args], {
      cwd,
      env: {
        PATH: process.env['PATH'] ?? '/usr/bin:/bin',
        HOME: '/nonexistent',
        LC_ALL: 'C',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_TERMINAL_PROMPT: '0',
        GIT_AUTHOR_NAME: 'Agent',
        GIT_AUTHOR_EMAIL: 'agent@example.test',
        GIT_COMMITTER_NAME: 'Agent',
        GIT_COMMITTER_EMAIL: 'agent@example.test',
      },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (part: Buffer) => (stdout += part.toString('utf8')));
    child.stderr.on('data', (part: Buffer) => (stderr += part.toString('utf8')));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 128, stdout, stderr }));
  });
}

export interface Directory {
  readonly path: string;
  remove(): Promise<void>;
}

export async function createDirectory(): Promise<Directory> {
  const path = await mkdtemp(join(tmpdir(), 'github-stand-in-client-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What the next deliveries are answered with; null: nothing, for ever. */
  answer: number | null;
  close(): Promise<void>;
}

/** Something for hooks to be delivered to. */
export async function createReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      received.push({ headers, rawHeaders: request.rawHeaders, body: Buffer.concat(parts) });
      if (receiver.answer !== null) response.writeHead(receiver.answer).end('{}');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`,
    received,
    answer: 200,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
  return receiver;
}
