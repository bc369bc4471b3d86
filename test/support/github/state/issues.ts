/** Changes of issues, comments and labels, shared by the REST face and by the builders of a test. */
import type { State } from './state.ts';
import type { Comment, Issue, IssueEvent, Label, Pull, Repo } from './types.ts';

export interface NewIssue {
  readonly title: string;
  readonly body: string | null;
  readonly userId: number;
  readonly labels?: readonly string[];
  readonly viaApp?: boolean;
  readonly pull?: Pull | null;
}

/** A label of the repository, made when it is not there yet, as GitHub does when a label is put on an issue. */
export function ensureLabel(state: State, repo: Repo, name: string): Label {
  const known = repo.labels.get(name.toLowerCase());
  if (known) return known;
  const label: Label = { id: state.nextId('label'), name, color: 'ededed', description: null };
  repo.labels.set(name.toLowerCase(), label);
  return label;
}

export function createIssue(state: State, repo: Repo, input: NewIssue): Issue {
  const now = state.now();
  const issue: Issue = {
    id: state.nextId('issue'),
    number: repo.nextNumber,
    title: input.title,
    body: input.body === '' ? null : input.body,
    userId: input.userId,
    state: 'open',
    locked: false,
    labels: (input.labels ?? []).map((name) => ensureLabel(state, repo, name)),
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    viaApp: input.viaApp ?? false,
    pull: input.pull ?? null,
  };
  repo.nextNumber += 1;
  repo.issues.set(issue.number, issue);
  return issue;
}

export function createComment(
  state: State,
  repo: Repo,
  issue: Issue,
  input: { readonly body: string; readonly userId: number; readonly viaApp?: boolean },
): Comment {
  const now = state.now();
  const comment: Comment = {
    id: state.nextId('comment'),
    issueNumber: issue.number,
    userId: input.userId,
    body: input.body,
    createdAt: now,
    updatedAt: now,
    viaApp: input.viaApp ?? false,
  };
  repo.comments.set(comment.id, comment);
  issue.updatedAt = now;
  return comment;
}

export function editComment(state: State, comment: Comment, body: string): void {
  comment.body = body;
  comment.updatedAt = state.now();
}

export interface IssueChange {
  readonly title?: string;
  readonly body?: string | null;
  readonly state?: 'open' | 'closed';
}

export function changeIssue(state: State, issue: Issue, change: IssueChange): void {
  if (change.title !== undefined) issue.title = change.title;
  if (change.body !== undefined) issue.body = change.body === '' ? null : change.body;
  if (change.state !== undefined && change.state !== issue.state) {
    issue.state = change.state;
    issue.closedAt = change.state === 'closed' ? state.now() : null;
  }
  issue.updatedAt = state.now();
}

function recordEvent(
  state: State,
  repo: Repo,
  issue: Issue,
  event: string,
  actorId: number,
  label: Label,
): IssueEvent {
  const record: IssueEvent = {
    id: state.nextId('event'),
    issueNumber: issue.number,
    event,
    actorId,
    label,
    createdAt: state.now(),
    viaApp: actorId === state.app.botId,
  };
  repo.events.set(record.id, record);
  issue.updatedAt = record.createdAt;
  return record;
}

/** Puts a label on an issue and records the `labeled` event; null when the label was there already. */
export function addLabel(
  state: State,
  repo: Repo,
  issue: Issue,
  name: string,
  actorId: number,
): IssueEvent | null {
  const label = ensureLabel(state, repo, name);
  if (issue.labels.some((one) => one.id === label.id)) return null;
  issue.labels.push(label);
  return recordEvent(state, repo, issue, 'labeled', actorId, label);
}

/** Takes a label off and records the `unlabeled` event; null when it was not there. */
export function removeLabel(
  state: State,
  repo: Repo,
  issue: Issue,
  name: string,
  actorId: number,
): IssueEvent | null {
  const at = issue.labels.findIndex((one) => one.name.toLowerCase() === name.toLowerCase());
  const label = issue.labels[at];
  if (!label) return null;
  issue.labels.splice(at, 1);
  return recordEvent(state, repo, issue, 'unlabeled', actorId, label);
}
