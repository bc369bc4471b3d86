/**
 * A GitHub on loopback: REST and GraphQL, git over HTTP, and a sender of webhooks, all over one state. It checks every
 * exchange against GitHub's own API description, and `assertClean` fails a test for anything that did not fit.
 */
import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import { isLive } from './app/tokens.ts';
import * as conversations from './build/conversations.ts';
import * as acts from './build/people-acts.ts';
import * as inspect from './build/inspect.ts';
import * as protection from './build/protection.ts';
import * as repositories from './build/repositories.ts';
import { createControl } from './control/control-face.ts';
import { createGitFace } from './git/http-face.ts';
import { writeHooks } from './git/seed.ts';
import { createGraphqlFace } from './graphql/graphql-face.ts';
import { createHooks, type DeliverOptions } from './hooks/deliver.ts';
import { buildPayload } from './hooks/payloads.ts';
import { createAudit } from './http/audit.ts';
import { loadDescription } from './http/description.ts';
import { createFaults, type Fault } from './http/faults.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { createRestFace } from './http/rest-face.ts';
import { createRouteFinder, type EchoSubject } from './http/route.ts';
import { startServer } from './http/server.ts';
import { createRoutes } from './rest/routes.ts';
import { createState, repoOf, userById, type RepoRef, type State } from './state/state.ts';
import type { Permissions } from './state/types.ts';
import type { SetHook, TokenFacts } from './verbs.ts';

export interface GithubOptions {
  readonly appId?: number;
  readonly appSlug?: string;
  /** PEM; its public half is all that is used. Default: a new pair, whose private half is then at `app.privateKey`. */
  readonly privateKey?: string;
  readonly webhookSecret?: string;
  readonly clock?: { now(): Date };
  readonly permissions?: Permissions;
  readonly tokenFormat?: 'classic' | 'stateless';
  /** Requests an hour; default 5000. */
  readonly rateLimit?: number;
  /** Above this a pushed file is refused with GH001; default 100 MiB. */
  readonly maxBlobBytes?: number;
  /** Default: any free one. */
  readonly port?: number;
}

/** What an installation grants unless told otherwise: all that a publisher needs, and no more. */
export const DEFAULT_PERMISSIONS: Permissions = {
  metadata: 'read',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  administration: 'read',
};

function keyPair(given: string | undefined): {
  privateKey: string;
  publicKey: ReturnType<typeof createPublicKey>;
} {
  const privateKey =
    given ??
    generateKeyPairSync('rsa', { modulusLength: 2048 })
      .privateKey.export({ type: 'pkcs1', format: 'pem' })
      .toString();
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** Binds the builders to one state, so that the verbs of the stand-in read as one flat list. */
function bindBuilders(state: State) {
  const bind =
    <A extends unknown[], R>(verb: (state: State, ...args: A) => R) =>
    (...args: A): R =>
      verb(state, ...args);
  return {
    addUser: bind(repositories.addUser),
    addRepo: bind(repositories.addRepo),
    setPermission: bind(repositories.setPermission),
    commit: bind(repositories.addCommit),
    deleteBranch: bind(repositories.deleteBranch),
    renameRepo: bind(repositories.renameRepo),
    repo: (ref: RepoRef) => repositories.handleOf(state, repoOf(state, ref)),
    addIssue: bind(conversations.addIssue),
    comment: bind(conversations.addComment),
    editComment: bind(conversations.editComment),
    deleteComment: bind(conversations.deleteComment),
    addLabel: bind(conversations.addLabel),
    addPull: bind(conversations.addPull),
    editIssue: bind(acts.editIssue),
    addReview: bind(acts.addReview),
    mergePull: bind(acts.mergePull),
    issueCommentPayload: bind(conversations.issueCommentPayload),
    issuePayload: bind(conversations.issuePayload),
    pullPayload: bind(conversations.pullPayload),
    payload: bind(conversations.payload),
    setProtection: bind(protection.setProtection),
    setRuleset: bind(protection.setRuleset),
    removeRuleset: bind(protection.removeRuleset),
    setClassicProtection: bind(protection.setClassicProtection),
    setInstallation: bind(protection.setInstallation),
    uninstall: bind(protection.uninstall),
    reinstall: bind(protection.reinstall),
    branches: bind(inspect.branches),
    commitInfo: bind(inspect.commitInfo),
    tree: bind(inspect.tree),
    fileText: bind(inspect.fileText),
    diff: bind(inspect.diff),
    patch: bind(inspect.patch),
    pulls: bind(inspect.pulls),
    issues: bind(inspect.issues),
    comments: bind(inspect.comments),
    reviews: bind(inspect.reviews),
    setArchived: (ref: RepoRef, archived: boolean): void => {
      repoOf(state, ref).archived = archived;
    },
    /** As if somebody had renamed the default branch; the old one stays. */
    setDefaultBranch: (ref: RepoRef, branch: string): void => {
      repoOf(state, ref).defaultBranch = branch;
    },
    deleteRepo: (ref: RepoRef): void => {
      repoOf(state, ref).deleted = true;
    },
    /** A person's account goes: what it wrote stays, without an author. */
    deleteUser: (login: string): void => forgetUser(state, login),
    setCodeownersErrors: (ref: RepoRef, errors: Record<string, unknown>[]): void => {
      repoOf(state, ref).codeownersErrors.splice(0, Infinity, ...errors);
    },
  };
}

function forgetUser(state: State, login: string): void {
  const user = [...state.users.values()].find((one) => one.login === login);
  if (!user) throw new AppError('not_found', `finding user ${login}`);
  for (const repo of state.repos.values()) {
    repo.roles.delete(user.id);
    for (const comment of repo.comments.values())
      if (comment.userId === user.id) comment.userId = null;
    for (const issue of repo.issues.values()) if (issue.userId === user.id) issue.userId = null;
  }
}

export async function createGithub(options: GithubOptions = {}) {
  const { privateKey, publicKey } = keyPair(options.privateKey);
  const description = await loadDescription();
  const dir = await mkdtemp(join(tmpdir(), 'github-stand-in-'));
  await writeHooks(join(dir, 'hooks'));
  const state = createState({
    appId: options.appId ?? 424_242,
    appSlug: options.appSlug ?? 'sallyport',
    publicKey,
    permissions: options.permissions ?? DEFAULT_PERMISSIONS,
    webhookSecret: options.webhookSecret ?? 'a secret of the stand-in',
    dir,
    clock: options.clock ?? { now: () => new Date() },
  });
  state.tokenFormat = options.tokenFormat ?? 'stateless';
  state.rateLimit = options.rateLimit ?? state.rateLimit;
  state.maxBlobBytes = options.maxBlobBytes ?? state.maxBlobBytes;

  const audit = createAudit(state, description);
  const faults = createFaults();
  const hooks = createHooks(state);
  const rateLimit = createRateLimit(state);
  const echo = (event: string, action: string | null, subject: EchoSubject): void => {
    if (!state.hook.echoEvents || state.hook.url === null) return;
    const sender = userById(state, state.app.botId);
    // Built now: by the time that it is sent the state may have moved on.
    const payload = buildPayload(state, {
      event,
      action,
      repo: subject.repo,
      sender,
      fields: subject.fields,
    });
    hooks.background(() => hooks.deliver(event, payload));
  };
  const gitFace = createGitFace(state, echo);
  const routes = createRoutes({ hooks, rateLimit, privateKey });
  for (const { method, path } of routes) {
    if (!description.has(method, path))
      throw new AppError('internal', `building the stand-in: GitHub has no ${method} ${path}`);
  }
  const findRoute = createRouteFinder(routes);
  const builders = bindBuilders(state);
  const controlToken = randomBytes(24).toString('base64url');

  const verbs = {
    ...builders,
    fault: (fault: Fault): void => faults.add(fault),
    clearFaults: (): void => faults.clear(),
    pendingFaults: (): number => faults.pending(),
    setHook: (hook: SetHook): void => {
      Object.assign(state.hook, hook);
    },
    deliver: (event: string, payload: Record<string, unknown>, opts: DeliverOptions = {}) =>
      hooks.deliver(event, payload, opts),
    redeliver: (guid: string, opts: DeliverOptions = {}) => hooks.redeliver(guid, opts),
    deliveries: () => [...hooks.list],
    settle: () => hooks.settle(),
    advanceClock: (ms: number): void => state.advance(ms),
    now: (): Date => state.now(),
    addManifestCode: (code: string): void => {
      state.manifestCodes.add(code);
    },
    setTokenFormat: (format: 'classic' | 'stateless'): void => {
      state.tokenFormat = format;
    },
    requests: () => [...state.requests],
    pushes: () => [...state.pushes],
    violations: () => {
      audit.settle();
      return [...state.violations];
    },
    tokens: (): TokenFacts[] => [...state.tokens],
    liveTokens: (): TokenFacts[] => state.tokens.filter((token) => isLive(state, token)),
    revokeTokens: (): void => {
      for (const token of state.tokens) token.revokedAt ??= state.now();
    },
    /** Throws with everything that did not fit GitHub's description, or that no face knew. */
    assertClean: (): void => {
      audit.settle();
      if (state.violations.length === 0) return;
      const lines = state.violations.map(
        (one) => `${one.request}: ${one.problem} ${JSON.stringify(one.detail)}`,
      );
      throw new AppError(
        'internal',
        `the GitHub stand-in saw ${lines.length} violation(s):\n${lines.join('\n')}`,
      );
    },
    clearViolations: (): void => {
      audit.settle();
      state.violations.length = 0;
    },
  };

  const server = await startServer({
    state,
    faults,
    rest: createRestFace({ state, audit, findRoute, rateLimit, echo }),
    graphql: createGraphqlFace(state),
    git: gitFace,
    control: createControl(verbs),
    controlToken,
    port: options.port ?? 0,
  });

  return {
    ...verbs,
    url: state.url,
    apiUrl: `${state.url}/api`,
    controlToken,
    webhookSecret: state.hook.secret,
    app: {
      id: state.app.id,
      slug: state.app.slug,
      botLogin: userById(state, state.app.botId).login,
      botId: state.app.botId,
      privateKey,
    },
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await gitFace.stop();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      await hooks.settle();
      await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}

export type Github = Awaited<ReturnType<typeof createGithub>>;
