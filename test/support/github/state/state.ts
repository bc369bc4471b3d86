/**
 * The one record of everything, and how things are found in it. Numbers start above 2^31 where GitHub's real ones
 * already are (comments, issues), so that a 32-bit column or a rounded number shows at once.
 */
import { randomBytes, type KeyObject } from 'node:crypto';
import { AppError } from '@sallyport/shared/errors';
import type {
  App,
  HookConfig,
  Installation,
  Issue,
  Permissions,
  Push,
  RecordedRequest,
  Repo,
  Token,
  User,
  Violation,
} from './types.ts';

/** A repository by id, by `owner/name`, or by anything that carries its id. */
export type RepoRef = number | string | { readonly id: number };

export interface State {
  readonly app: App;
  readonly hook: HookConfig;
  readonly dir: string;
  readonly users: Map<number, User>;
  readonly repos: Map<number, Repo>;
  /** Former `owner/name`, lower case → repository id and the status for requests that are not GET. */
  readonly formerNames: Map<string, { readonly repoId: number; readonly status: number }>;
  readonly installations: Map<number, Installation>;
  readonly tokens: Token[];
  readonly pushes: Push[];
  readonly requests: RecordedRequest[];
  readonly violations: Violation[];
  /** Codes of App manifests that wait to be exchanged. */
  readonly manifestCodes: Set<string>;
  readonly secret: string;
  tokenFormat: 'classic' | 'stateless';
  rateLimit: number;
  maxBlobBytes: number;
  /** Set once the server listens, without a final slash. */
  url: string;
  now(): Date;
  advance(ms: number): void;
  nextId(kind: IdKind): number;
}

const FIRST_ID = {
  user: 5_000_001,
  repo: 800_000_001,
  issue: 3_000_000_001,
  comment: 3_300_000_001,
  event: 17_000_000_001,
  review: 2_900_000_001,
  review_comment: 2_200_000_001,
  label: 7_000_000_001,
  ruleset: 9_001,
  installation: 61_000_001,
  token: 1,
  delivery: 120_000_000_001,
  misc: 400_000_001,
} as const;
export type IdKind = keyof typeof FIRST_ID;

export interface StateOptions {
  readonly appId: number;
  readonly appSlug: string;
  readonly publicKey: KeyObject;
  readonly permissions: Permissions;
  readonly webhookSecret: string;
  readonly dir: string;
  readonly clock: { now(): Date };
}

export function createState(options: StateOptions): State {
  const counters = new Map<IdKind, number>();
  let offsetMs = 0;
  const nextId = (kind: IdKind): number => {
    const id = counters.get(kind) ?? FIRST_ID[kind];
    counters.set(kind, id + 1);
    return id;
  };
  const now = (): Date => new Date(options.clock.now().getTime() + offsetMs);
  const owner: User = {
    id: nextId('user'),
    login: 'app-owner',
    type: 'Organization',
    createdAt: now(),
  };
  const bot: User = {
    id: nextId('user'),
    login: `${options.appSlug}[bot]`,
    type: 'Bot',
    createdAt: now(),
  };
  return {
    app: {
      id: options.appId,
      slug: options.appSlug,
      ownerId: owner.id,
      botId: bot.id,
      publicKey: options.publicKey,
      permissions: options.permissions,
      createdAt: now(),
    },
    hook: { url: null, contentType: 'json', secret: options.webhookSecret, echoEvents: false },
    dir: options.dir,
    users: new Map([owner, bot].map((user) => [user.id, user])),
    repos: new Map(),
    formerNames: new Map(),
    installations: new Map(),
    tokens: [],
    pushes: [],
    requests: [],
    violations: [],
    manifestCodes: new Set(),
    secret: randomBytes(24).toString('hex'),
    tokenFormat: 'stateless',
    rateLimit: 5000,
    maxBlobBytes: 100 * 1024 * 1024,
    url: '',
    now,
    advance: (ms) => {
      offsetMs += ms;
    },
    nextId,
  };
}

export function findUser(state: State, login: string): User | undefined {
  const wanted = login.toLowerCase();
  return [...state.users.values()].find((user) => user.login.toLowerCase() === wanted);
}

export function userByLogin(state: State, login: string): User {
  const user = findUser(state, login);
  if (!user) throw new AppError('not_found', `finding user ${login}: add it with addUser first`);
  return user;
}

export function userById(state: State, id: number): User {
  const user = state.users.get(id);
  if (!user) throw new AppError('not_found', `finding user ${id}`);
  return user;
}

export function fullNameOf(state: State, repo: Repo): string {
  return `${userById(state, repo.ownerId).login}/${repo.name}`;
}

export function findRepo(state: State, fullName: string): Repo | undefined {
  const wanted = fullName.toLowerCase();
  return [...state.repos.values()].find(
    (repo) => !repo.deleted && fullNameOf(state, repo).toLowerCase() === wanted,
  );
}

export function repoOf(state: State, ref: RepoRef): Repo {
  const id = typeof ref === 'object' ? ref.id : ref;
  const repo = typeof id === 'number' ? state.repos.get(id) : findRepo(state, id);
  if (!repo) throw new AppError('not_found', `finding repository ${String(id)}`);
  return repo;
}

export function issueOf(repo: Repo, number: number): Issue {
  const issue = repo.issues.get(number);
  if (!issue) throw new AppError('not_found', `finding issue ${number} of ${repo.name}`);
  return issue;
}

/** The living installation whose account owns the repository and whose selection covers it. */
export function installationFor(state: State, repo: Repo): Installation | undefined {
  return [...state.installations.values()].find(
    (one) =>
      !one.deleted &&
      one.accountId === repo.ownerId &&
      (one.repositoryIds === null || one.repositoryIds.has(repo.id)),
  );
}

export function reposOf(state: State, installation: Installation): Repo[] {
  return [...state.repos.values()].filter(
    (repo) =>
      !repo.deleted &&
      repo.ownerId === installation.accountId &&
      (installation.repositoryIds === null || installation.repositoryIds.has(repo.id)),
  );
}

export function recordViolation(
  state: State,
  request: string,
  problem: string,
  detail: unknown = null,
): void {
  state.violations.push({ at: state.now(), request, problem, detail });
}
