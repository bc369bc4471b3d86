/** Builders for accounts, repositories, commits and branches. */
import { join } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import { ZERO_SHA, resolveCommit, type Person } from '../git/objects.ts';
import { listRefs, moveRef, readRef } from '../git/refs.ts';
import { copyCommit, initBare, seedCommit } from '../git/seed.ts';
import { applyPreset } from '../state/protection-presets.ts';
import { followHead } from '../state/pulls.ts';
import {
  findUser,
  fullNameOf,
  installationFor,
  repoOf,
  userById,
  userByLogin,
  type RepoRef,
  type State,
} from '../state/state.ts';
import type { Repo, Role, User } from '../state/types.ts';
import type { AddCommit, AddRepo, AddUser, RepoHandle } from '../verbs.ts';

export function addUser(state: State, input: AddUser): User {
  if (findUser(state, input.login))
    throw new AppError('conflict', `adding user ${input.login}: the login is taken`);
  const user: User = {
    id: input.id ?? state.nextId('user'),
    login: input.login,
    type: input.type ?? 'User',
    createdAt: state.now(),
  };
  state.users.set(user.id, user);
  return user;
}

/** The App is installed on an account as soon as the account has a repository. */
function ensureInstallation(state: State, accountId: number): void {
  const known = [...state.installations.values()].some((one) => one.accountId === accountId);
  if (known) return;
  const id = state.nextId('installation');
  state.installations.set(id, {
    id,
    accountId,
    permissions: state.app.permissions,
    events: ['issue_comment', 'issues', 'pull_request', 'push'],
    repositoryIds: null,
    suspendedAt: null,
    deleted: false,
    createdAt: state.now(),
  });
}

export async function handleOf(state: State, repo: Repo): Promise<RepoHandle> {
  const head = await readRef(repo.gitDir, `refs/heads/${repo.defaultBranch}`);
  return {
    id: repo.id,
    owner: userById(state, repo.ownerId).login,
    name: repo.name,
    fullName: fullNameOf(state, repo),
    defaultBranch: repo.defaultBranch,
    headSha: head?.sha ?? ZERO_SHA,
    gitDir: repo.gitDir,
    cloneUrl: `${state.url}/${fullNameOf(state, repo)}.git`,
    installationId: installationFor(state, repo)?.id ?? null,
  };
}

function personOf(state: State, user: User): Person {
  return {
    name: user.login,
    email: `${user.id}+${user.login}@users.noreply.github.com`,
    date: state.now(),
  };
}

async function copyBranches(from: Repo, to: Repo): Promise<void> {
  for (const { ref, sha } of await listRefs(from.gitDir, 'refs/heads/')) {
    await copyCommit(from.gitDir, to.gitDir, sha);
    await moveRef(to.gitDir, ref, ZERO_SHA, sha);
  }
}

export async function addRepo(state: State, input: AddRepo): Promise<RepoHandle> {
  const owner =
    findUser(state, input.owner) ?? addUser(state, { login: input.owner, type: 'Organization' });
  const parent = input.forkOf === undefined ? null : repoOf(state, input.forkOf);
  const id = input.id ?? state.nextId('repo');
  const gitDir = join(state.dir, 'repos', `${id}.git`);
  const repo: Repo = {
    id,
    ownerId: owner.id,
    name: input.name,
    description: input.description ?? null,
    isPrivate: input.private ?? false,
    forkOf: parent?.id ?? null,
    archived: false,
    deleted: false,
    defaultBranch: input.defaultBranch ?? parent?.defaultBranch ?? 'main',
    rulesReadable: true,
    gitDir,
    createdAt: state.now(),
    pushedAt: state.now(),
    nextNumber: 1,
    roles: new Map(),
    issues: new Map(),
    comments: new Map(),
    events: new Map(),
    labels: new Map(),
    rulesets: new Map(),
    classic: new Map(),
    codeownersErrors: [],
    signed: new Set(),
  };
  state.repos.set(id, repo);
  if (parent === null) ensureInstallation(state, owner.id);
  await initBare(gitDir, repo.defaultBranch, join(state.dir, 'hooks'));
  if (parent) await copyBranches(parent, repo);
  else {
    const files = input.files ?? { 'README.md': `# ${input.name}\n` };
    const sha = await seedCommit(gitDir, {
      files,
      message: 'Initial commit',
      parent: null,
      author: personOf(state, owner),
    });
    await moveRef(gitDir, `refs/heads/${repo.defaultBranch}`, ZERO_SHA, sha);
  }
  applyPreset(state, repo, input.protection ?? 'protected');
  for (const [login, role] of Object.entries(input.permissions ?? {}))
    setPermission(state, id, login, role);
  return handleOf(state, repo);
}

export function setPermission(state: State, ref: RepoRef, login: string, role: Role): void {
  repoOf(state, ref).roles.set(userByLogin(state, login).id, role);
}

/** Commits to a branch as a person would through the web page, past every rule; gives the new SHA. */
export async function addCommit(state: State, input: AddCommit): Promise<string> {
  const repo = repoOf(state, input.repo);
  const ref = `refs/heads/${input.branch}`;
  const current = await readRef(repo.gitDir, ref);
  const parent =
    current?.sha ?? (await resolveCommit(repo.gitDir, input.from ?? repo.defaultBranch));
  const author = personOf(
    state,
    input.by === undefined ? userById(state, repo.ownerId) : userByLogin(state, input.by),
  );
  const message = input.message ?? 'Change files';
  const sha = await seedCommit(repo.gitDir, { files: input.files, message, parent, author });
  if (!(await moveRef(repo.gitDir, ref, current?.sha ?? ZERO_SHA, sha))) {
    throw new AppError(
      'conflict',
      `moving ${ref}: it moved meanwhile, or another branch's name is in its way`,
    );
  }
  repo.pushedAt = state.now();
  await followHead(state, repo, ref, sha);
  return sha;
}

export async function deleteBranch(state: State, ref: RepoRef, branch: string): Promise<void> {
  const repo = repoOf(state, ref);
  const current = await readRef(repo.gitDir, `refs/heads/${branch}`);
  if (!current) throw new AppError('not_found', `finding branch ${branch}`);
  await moveRef(repo.gitDir, current.ref, current.sha, ZERO_SHA);
  await followHead(state, repo, current.ref, ZERO_SHA);
}

export interface RenameOptions {
  readonly name?: string;
  /** Given: transferred to this account. */
  readonly owner?: string;
  /** How requests other than GET to the old name are answered; GET always gets 301. */
  readonly redirect?: 301 | 302 | 307 | 308;
}

export function renameRepo(state: State, ref: RepoRef, options: RenameOptions): void {
  const repo = repoOf(state, ref);
  state.formerNames.set(fullNameOf(state, repo).toLowerCase(), {
    repoId: repo.id,
    status: options.redirect ?? 307,
  });
  if (options.name !== undefined) repo.name = options.name;
  if (options.owner !== undefined) repo.ownerId = userByLogin(state, options.owner).id;
}
