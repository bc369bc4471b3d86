/** Builders for what people do to issues and pull requests after they were opened: edit, close, review, merge. */
import { AppError } from '@sallyport/shared/errors';
import { readCommit, writeCommit, type Person } from '../git/objects.ts';
import { moveRef, readRef } from '../git/refs.ts';
import { git } from '../git/run-git.ts';
import { changeIssue, type IssueChange } from '../state/issues.ts';
import { followHead } from '../state/pulls.ts';
import { issueOf, repoOf, userByLogin, type RepoRef, type State } from '../state/state.ts';
import type { Issue, Pull, Repo } from '../state/types.ts';
import type { Json } from '../view/common.ts';
import { issueView } from '../view/issue-view.ts';
import { reviewView } from '../view/pull-view.ts';

function pullOf(repo: Repo, number: number): { issue: Issue; pull: Pull } {
  const issue = issueOf(repo, number);
  if (!issue.pull)
    throw new AppError('not_found', `finding pull request ${number}: it is an issue`);
  return { issue, pull: issue.pull };
}

/** Changes title, body or state of an issue or pull request. */
export function editIssue(state: State, ref: RepoRef, number: number, change: IssueChange): Json {
  const repo = repoOf(state, ref);
  const issue = issueOf(repo, number);
  changeIssue(state, issue, change);
  return issueView(state, repo, issue);
}

export interface AddReview {
  readonly repo: RepoRef;
  readonly pull: number;
  readonly by: string;
  readonly state?: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED';
  readonly body?: string;
  /** Default: the head of the pull request. */
  readonly commitId?: string;
}

export function addReview(state: State, input: AddReview): Json {
  const repo = repoOf(state, input.repo);
  const { issue, pull } = pullOf(repo, input.pull);
  const review = {
    id: state.nextId('review'),
    userId: userByLogin(state, input.by).id,
    body: input.body ?? '',
    state: input.state ?? 'APPROVED',
    commitId: input.commitId ?? pull.headSha,
    submittedAt: state.now(),
  };
  pull.reviews.push(review);
  return reviewView(state, repo, issue, review);
}

/** Merges as a person with the right to would, past every rule, with a merge commit; gives its SHA. */
export async function mergePull(
  state: State,
  ref: RepoRef,
  number: number,
  by: string,
): Promise<string> {
  const repo = repoOf(state, ref);
  const { issue, pull } = pullOf(repo, number);
  const base = await readRef(repo.gitDir, `refs/heads/${pull.baseRef}`);
  if (!base || issue.state !== 'open')
    throw new AppError('conflict', `merging ${number}: it is not open, or its base is gone`);
  const merged = await git(repo.gitDir, ['merge-tree', '--write-tree', base.sha, pull.headSha]);
  const user = userByLogin(state, by);
  const author: Person = {
    name: user.login,
    email: `${user.login}@users.noreply.github.com`,
    date: state.now(),
  };
  const head = await readCommit(repo.gitDir, pull.headSha);
  const sha = await writeCommit(repo.gitDir, {
    tree: merged.toString('utf8').split('\n')[0] ?? '',
    parents: [base.sha, head.sha],
    author,
    committer: author,
    message: `Merge pull request #${number} from ${pull.headLabelOwner}/${pull.headRef}\n\n${issue.title}`,
    signature: null,
  });
  if (!(await moveRef(repo.gitDir, base.ref, base.sha, sha)))
    throw new AppError('conflict', `merging ${number}: the base moved`);
  pull.mergedAt = state.now();
  changeIssue(state, issue, { state: 'closed' });
  await followHead(state, repo, base.ref, sha);
  return sha;
}
