/** Issues, comments, labels and events as GitHub shows them. */
import { userById, type State } from '../state/state.ts';
import type { Comment, Issue, IssueEvent, Label, Repo } from '../state/types.ts';
import { appView } from './app-view.ts';
import { nodeId, reactionsView, timestamp, timestampOrNull, type Json } from './common.ts';
import { repoApiUrl, repoPageUrl } from './repository-view.ts';
import { userView, userViewOrNull } from './user-view.ts';

export function labelView(state: State, repo: Repo, label: Label): Json {
  return {
    id: label.id,
    node_id: nodeId('Label', label.id),
    url: `${repoApiUrl(state, repo)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    default: false,
    description: label.description ?? '',
  };
}

/**
 * GitHub's hint about an author; decisions must not rest on it, so the stand-in only tells owners, members of the
 * repository and others apart.
 */
export function authorAssociation(repo: Repo, userId: number | null): string {
  if (userId === repo.ownerId) return 'OWNER';
  return userId !== null && repo.roles.has(userId) ? 'COLLABORATOR' : 'NONE';
}

export function issuePageUrl(state: State, repo: Repo, issue: Issue): string {
  return `${repoPageUrl(state, repo)}/${issue.pull ? 'pull' : 'issues'}/${issue.number}`;
}

export function issueView(state: State, repo: Repo, issue: Issue): Json {
  const repoUrl = repoApiUrl(state, repo);
  const url = `${repoUrl}/issues/${issue.number}`;
  const page = issuePageUrl(state, repo, issue);
  const pull = issue.pull && {
    pull_request: {
      url: `${repoUrl}/pulls/${issue.number}`,
      html_url: page,
      diff_url: `${page}.diff`,
      patch_url: `${page}.patch`,
      merged_at: timestampOrNull(issue.pull.mergedAt),
    },
    draft: issue.pull.draft,
  };
  return {
    url,
    repository_url: repoUrl,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: page,
    id: issue.id,
    node_id: nodeId(issue.pull ? 'PullRequest' : 'Issue', issue.id),
    number: issue.number,
    title: issue.title,
    user: userViewOrNull(state, issue.userId),
    labels: issue.labels.map((label) => labelView(state, repo, label)),
    state: issue.state,
    locked: issue.locked,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: [...repo.comments.values()].filter((one) => one.issueNumber === issue.number).length,
    created_at: timestamp(issue.createdAt),
    updated_at: timestamp(issue.updatedAt),
    closed_at: timestampOrNull(issue.closedAt),
    author_association: authorAssociation(repo, issue.userId),
    active_lock_reason: null,
    ...pull,
    body: issue.body,
    closed_by: null,
    reactions: reactionsView(url),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: issue.viaApp ? appView(state) : null,
    state_reason: null,
  };
}

export function commentView(state: State, repo: Repo, issue: Issue, comment: Comment): Json {
  const url = `${repoApiUrl(state, repo)}/issues/comments/${comment.id}`;
  return {
    url,
    html_url: `${issuePageUrl(state, repo, issue)}#issuecomment-${comment.id}`,
    issue_url: `${repoApiUrl(state, repo)}/issues/${issue.number}`,
    id: comment.id,
    node_id: nodeId('IssueComment', comment.id),
    user: userViewOrNull(state, comment.userId),
    created_at: timestamp(comment.createdAt),
    updated_at: timestamp(comment.updatedAt),
    author_association: authorAssociation(repo, comment.userId),
    body: comment.body,
    reactions: reactionsView(url),
    performed_via_github_app: comment.viaApp ? appView(state) : null,
  };
}

export function eventView(state: State, repo: Repo, event: IssueEvent): Json {
  return {
    id: event.id,
    node_id: nodeId('IssueEvent', event.id),
    url: `${repoApiUrl(state, repo)}/issues/events/${event.id}`,
    actor: userView(state, userById(state, event.actorId)),
    event: event.event,
    commit_id: null,
    commit_url: null,
    created_at: timestamp(event.createdAt),
    ...(event.label === null
      ? {}
      : { label: { name: event.label.name, color: event.label.color } }),
    performed_via_github_app: event.viaApp ? appView(state) : null,
  };
}
