/** Pull requests, reviews and review comments as GitHub shows them. */
import { diffFiles } from '../git/diff.ts';
import { listCommits, mergeBase } from '../git/refs.ts';
import { tryGit } from '../git/run-git.ts';
import { isProtected } from '../state/rules.ts';
import { userById, type State } from '../state/state.ts';
import type { Issue, Pull, Repo, Review, ReviewComment } from '../state/types.ts';
import { nodeId, reactionsView, timestamp, timestampOrNull, type Json } from './common.ts';
import { authorAssociation, issuePageUrl, labelView } from './issue-view.ts';
import { repoApiUrl, repositoryView } from './repository-view.ts';
import { userView, userViewOrNull } from './user-view.ts';

function headView(state: State, pull: Pull): Json {
  const repo = pull.headRepoId === null ? undefined : state.repos.get(pull.headRepoId);
  const living = repo && !repo.deleted ? repo : undefined;
  return {
    label: living ? `${userById(state, living.ownerId).login}:${pull.headRef}` : null,
    ref: pull.headRef,
    sha: pull.headSha,
    user: living ? userView(state, userById(state, living.ownerId)) : null,
    repo: living ? repositoryView(state, living) : null,
  };
}

export function pullSimpleView(state: State, repo: Repo, issue: Issue, pull: Pull): Json {
  const api = repoApiUrl(state, repo);
  const url = `${api}/pulls/${issue.number}`;
  const issueUrl = `${api}/issues/${issue.number}`;
  const page = issuePageUrl(state, repo, issue);
  const owner = userById(state, repo.ownerId);
  const statuses = `${api}/statuses/${pull.headSha}`;
  return {
    url,
    id: issue.id,
    node_id: nodeId('PullRequest', issue.id),
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issueUrl,
    number: issue.number,
    state: issue.state,
    locked: issue.locked,
    title: issue.title,
    user: userViewOrNull(state, issue.userId),
    body: issue.body,
    created_at: timestamp(issue.createdAt),
    updated_at: timestamp(issue.updatedAt),
    closed_at: timestampOrNull(issue.closedAt),
    merged_at: timestampOrNull(pull.mergedAt),
    merge_commit_sha: null,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    labels: issue.labels.map((label) => labelView(state, repo, label)),
    milestone: null,
    draft: pull.draft,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${api}/pulls/comments{/number}`,
    comments_url: `${issueUrl}/comments`,
    statuses_url: statuses,
    head: headView(state, pull),
    base: {
      label: `${owner.login}:${pull.baseRef}`,
      ref: pull.baseRef,
      sha: pull.baseSha,
      user: userView(state, owner),
      repo: repositoryView(state, repo),
    },
    _links: {
      self: { href: url },
      html: { href: page },
      issue: { href: issueUrl },
      comments: { href: `${issueUrl}/comments` },
      review_comments: { href: `${url}/comments` },
      review_comment: { href: `${api}/pulls/comments{/number}` },
      commits: { href: `${url}/commits` },
      statuses: { href: statuses },
    },
    author_association: authorAssociation(repo, issue.userId),
    auto_merge: null,
    active_lock_reason: null,
  };
}

async function isMergeable(repo: Repo, pull: Pull): Promise<boolean> {
  const merged = await tryGit(repo.gitDir, [
    'merge-tree',
    '--write-tree',
    pull.baseSha,
    pull.headSha,
  ]);
  return merged.code === 0;
}

export async function pullView(state: State, repo: Repo, issue: Issue, pull: Pull): Promise<Json> {
  const base = await mergeBase(repo.gitDir, pull.baseSha, pull.headSha);
  const files = await diffFiles(repo.gitDir, base, pull.headSha);
  const commits = await listCommits(repo.gitDir, base, pull.headSha);
  const mergeable = await isMergeable(repo, pull);
  const blocked = isProtected(repo, pull.baseRef) ? 'blocked' : 'clean';
  return {
    ...pullSimpleView(state, repo, issue, pull),
    merged: pull.mergedAt !== null,
    mergeable,
    rebaseable: mergeable,
    mergeable_state: mergeable ? (pull.draft ? 'draft' : blocked) : 'dirty',
    merged_by: null,
    comments: [...repo.comments.values()].filter((one) => one.issueNumber === issue.number).length,
    review_comments: pull.reviewComments.length,
    maintainer_can_modify: false,
    commits: commits.length,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    changed_files: files.length,
  };
}

export function reviewView(state: State, repo: Repo, issue: Issue, review: Review): Json {
  const page = `${issuePageUrl(state, repo, issue)}#pullrequestreview-${review.id}`;
  const pullUrl = `${repoApiUrl(state, repo)}/pulls/${issue.number}`;
  return {
    id: review.id,
    node_id: nodeId('PullRequestReview', review.id),
    user: userView(state, userById(state, review.userId)),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: pullUrl,
    author_association: authorAssociation(repo, review.userId),
    _links: { html: { href: page }, pull_request: { href: pullUrl } },
    submitted_at: timestamp(review.submittedAt),
    commit_id: review.commitId,
  };
}

export function reviewCommentView(
  state: State,
  repo: Repo,
  issue: Issue,
  comment: ReviewComment,
): Json {
  const url = `${repoApiUrl(state, repo)}/pulls/comments/${comment.id}`;
  const page = `${issuePageUrl(state, repo, issue)}#discussion_r${comment.id}`;
  const pullUrl = `${repoApiUrl(state, repo)}/pulls/${issue.number}`;
  const lines =
    comment.line === null
      ? { subject_type: 'file' }
      : {
          line: comment.line,
          original_line: comment.line,
          side: comment.side,
          subject_type: 'line',
        };
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId('PullRequestReviewComment', comment.id),
    diff_hunk: '@@ -1 +1 @@',
    path: comment.path,
    position: 1,
    original_position: 1,
    commit_id: comment.commitId,
    original_commit_id: comment.commitId,
    ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
    user: userView(state, userById(state, comment.userId)),
    body: comment.body,
    created_at: timestamp(comment.createdAt),
    updated_at: timestamp(comment.createdAt),
    html_url: page,
    pull_request_url: pullUrl,
    author_association: authorAssociation(repo, comment.userId),
    _links: { self: { href: url }, html: { href: page }, pull_request: { href: pullUrl } },
    start_line: comment.startLine,
    original_start_line: comment.startLine,
    start_side: comment.startLine === null ? null : comment.side,
    ...lines,
    reactions: reactionsView(url),
  };
}
