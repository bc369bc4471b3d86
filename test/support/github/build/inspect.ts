/** What a test looks at afterwards: branches, commits, trees, differences, conversations. */
import { diffFiles, type FileDiff } from '../git/diff.ts';
import {
  readBlob,
  readCommit,
  readTree,
  resolveCommit,
  type CommitObject,
} from '../git/objects.ts';
import { listRefs } from '../git/refs.ts';
import { git } from '../git/run-git.ts';
import { AppError } from '@sallyport/shared/errors';
import { repoOf, type RepoRef, type State } from '../state/state.ts';
import type { Json } from '../view/common.ts';
import { commentView, issueView } from '../view/issue-view.ts';
import { pullView, reviewCommentView, reviewView } from '../view/pull-view.ts';

async function commitAt(
  state: State,
  ref: RepoRef,
  name: string,
): Promise<{ gitDir: string; sha: string }> {
  const { gitDir } = repoOf(state, ref);
  const sha = await resolveCommit(gitDir, name);
  if (sha === null) throw new AppError('not_found', `finding commit ${name}`);
  return { gitDir, sha };
}

/** Branch name → SHA. */
export async function branches(state: State, ref: RepoRef): Promise<Record<string, string>> {
  const refs = await listRefs(repoOf(state, ref).gitDir, 'refs/heads/');
  return Object.fromEntries(refs.map((one) => [one.ref.slice('refs/heads/'.length), one.sha]));
}

export async function commitInfo(state: State, ref: RepoRef, name: string): Promise<CommitObject> {
  const { gitDir, sha } = await commitAt(state, ref, name);
  return readCommit(gitDir, sha);
}

/** Path → mode and blob SHA, of all files at a branch or commit. */
export async function tree(
  state: State,
  ref: RepoRef,
  name: string,
): Promise<Record<string, { mode: string; sha: string }>> {
  const { gitDir, sha } = await commitAt(state, ref, name);
  const entries = (await readTree(gitDir, sha, true)).filter((entry) => entry.type !== 'tree');
  return Object.fromEntries(
    entries.map((entry) => [entry.path, { mode: entry.mode, sha: entry.sha }]),
  );
}

/** A file's text at a branch or commit, or null. */
export async function fileText(
  state: State,
  ref: RepoRef,
  name: string,
  path: string,
): Promise<string | null> {
  const entry = (await tree(state, ref, name))[path];
  return entry ? (await readBlob(repoOf(state, ref).gitDir, entry.sha)).toString('utf8') : null;
}

export async function diff(
  state: State,
  ref: RepoRef,
  before: string,
  after: string,
): Promise<FileDiff[]> {
  const from = await commitAt(state, ref, before);
  const to = await commitAt(state, ref, after);
  return diffFiles(to.gitDir, from.sha, to.sha);
}

export async function pulls(state: State, ref: RepoRef): Promise<Json[]> {
  const repo = repoOf(state, ref);
  const list = [...repo.issues.values()].flatMap((issue) =>
    issue.pull ? [{ issue, pull: issue.pull }] : [],
  );
  return Promise.all(list.map(({ issue, pull }) => pullView(state, repo, issue, pull)));
}

export function issues(state: State, ref: RepoRef): Json[] {
  const repo = repoOf(state, ref);
  return [...repo.issues.values()].map((issue) => issueView(state, repo, issue));
}

export function comments(state: State, ref: RepoRef, issueNumber: number): Json[] {
  const repo = repoOf(state, ref);
  return [...repo.comments.values()].flatMap((comment) => {
    const issue = repo.issues.get(comment.issueNumber);
    return issue && issue.number === issueNumber ? [commentView(state, repo, issue, comment)] : [];
  });
}

/** The reviews of a pull request, and the comments that they left on its lines. */
export function reviews(
  state: State,
  ref: RepoRef,
  pullNumber: number,
): { reviews: Json[]; comments: Json[] } {
  const repo = repoOf(state, ref);
  const issue = repo.issues.get(pullNumber);
  const { pull } = issue ?? {};
  if (!issue || !pull) throw new AppError('not_found', `finding pull request ${pullNumber}`);
  return {
    reviews: pull.reviews.map((review) => reviewView(state, repo, issue, review)),
    comments: pull.reviewComments.map((comment) => reviewCommentView(state, repo, issue, comment)),
  };
}

/** The same difference as the text of a unified patch. */
export async function patch(
  state: State,
  ref: RepoRef,
  before: string,
  after: string,
): Promise<string> {
  const from = await commitAt(state, ref, before);
  const to = await commitAt(state, ref, after);
  return (await git(to.gitDir, ['diff-tree', '-r', '-M', '-p', from.sha, to.sha])).toString('utf8');
}
