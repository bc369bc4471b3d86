/** Builders for what people do on issues and pull requests, and for the deliveries that tell of it. */
import { AppError } from '@sallyport/shared/errors';
import { readRef } from '../git/refs.ts';
import { buildPayload } from '../hooks/payloads.ts';
import {
  addLabel as putLabel,
  createComment,
  createIssue,
  editComment as changeComment,
} from '../state/issues.ts';
import { createPull } from '../state/pulls.ts';
import {
  issueOf,
  repoOf,
  userById,
  userByLogin,
  type RepoRef,
  type State,
} from '../state/state.ts';
import type { Comment, Repo } from '../state/types.ts';
import type { Json } from '../view/common.ts';
import { commentView, eventView, issueView, labelView } from '../view/issue-view.ts';
import { pullView } from '../view/pull-view.ts';
import type {
  AddComment,
  AddIssue,
  AddLabel,
  AddPull,
  AnyPayload,
  IssueCommentPayload,
  IssuePayload,
  PullPayload,
} from '../verbs.ts';

function commentOf(repo: Repo, id: number): Comment {
  const comment = repo.comments.get(id);
  if (!comment) throw new AppError('not_found', `finding comment ${id}`);
  return comment;
}

/** Gives GitHub's own objects back, with the two fields that nearly every caller needs typed. */
export type IssueJson = Json & { readonly id: number; readonly number: number };
export type CommentJson = Json & { readonly id: number; readonly body: string };
export type EventJson = Json & { readonly id: number };

export function addIssue(state: State, input: AddIssue): IssueJson {
  const repo = repoOf(state, input.repo);
  const user = userByLogin(state, input.by);
  const body = input.body ?? null;
  const issue = createIssue(state, repo, {
    title: input.title,
    body,
    userId: user.id,
    labels: input.labels ?? [],
  });
  return { ...issueView(state, repo, issue), id: issue.id, number: issue.number };
}

function commentJson(state: State, repo: Repo, comment: Comment): CommentJson {
  const view = commentView(state, repo, issueOf(repo, comment.issueNumber), comment);
  return { ...view, id: comment.id, body: comment.body };
}

export function addComment(state: State, input: AddComment): CommentJson {
  const repo = repoOf(state, input.repo);
  const user = userByLogin(state, input.by);
  return commentJson(
    state,
    repo,
    createComment(state, repo, issueOf(repo, input.issue), { body: input.body, userId: user.id }),
  );
}

export function editComment(state: State, ref: RepoRef, id: number, body: string): CommentJson {
  const repo = repoOf(state, ref);
  const comment = commentOf(repo, id);
  changeComment(state, comment, body);
  return commentJson(state, repo, comment);
}

export function deleteComment(state: State, ref: RepoRef, id: number): void {
  const repo = repoOf(state, ref);
  repo.comments.delete(commentOf(repo, id).id);
}

/** Puts a label on as a person would and gives the `labeled` event with its id. */
export function addLabel(state: State, input: AddLabel): EventJson {
  const repo = repoOf(state, input.repo);
  const event = putLabel(
    state,
    repo,
    issueOf(repo, input.issue),
    input.label,
    userByLogin(state, input.by).id,
  );
  if (!event) throw new AppError('conflict', `adding label ${input.label}: it is there already`);
  return { ...eventView(state, repo, event), id: event.id };
}

export async function addPull(state: State, input: AddPull): Promise<IssueJson> {
  const repo = repoOf(state, input.repo);
  const headRepo = input.headRepo === undefined ? repo : repoOf(state, input.headRepo);
  const baseRef = input.base ?? repo.defaultBranch;
  const head = await readRef(headRepo.gitDir, `refs/heads/${input.head}`);
  const base = await readRef(repo.gitDir, `refs/heads/${baseRef}`);
  if (!head || !base)
    throw new AppError(
      'not_found',
      `finding branches ${input.head} and ${baseRef}: make them with commit() first`,
    );
  const issue = await createPull(state, repo, {
    title: input.title,
    body: input.body ?? null,
    userId: userByLogin(state, input.by).id,
    headRepo,
    headRef: input.head,
    headSha: head.sha,
    baseRef,
    baseSha: base.sha,
    draft: input.draft ?? false,
    viaApp: false,
  });
  if (!issue.pull) throw new AppError('internal', 'opening a pull request');
  return {
    ...(await pullView(state, repo, issue, issue.pull)),
    id: issue.id,
    number: issue.number,
  };
}

export function issueCommentPayload(state: State, input: IssueCommentPayload): Json {
  const repo = repoOf(state, input.repo);
  const comment = commentOf(repo, input.comment);
  const issue = issueOf(repo, comment.issueNumber);
  const action = input.action ?? 'created';
  const author = comment.userId === null ? null : userById(state, comment.userId);
  const fields: Json = {
    issue: issueView(state, repo, issue),
    comment: commentView(state, repo, issue, comment),
  };
  if (action === 'edited') fields['changes'] = { body: { from: input.from ?? '' } };
  const sender = input.sender === undefined ? author : userByLogin(state, input.sender);
  return buildPayload(state, { event: 'issue_comment', action, repo, sender, fields });
}

export function issuePayload(state: State, input: IssuePayload): Json {
  const repo = repoOf(state, input.repo);
  const issue = issueOf(repo, input.issue);
  const label = input.label === undefined ? undefined : repo.labels.get(input.label.toLowerCase());
  const fields: Json = {
    issue: issueView(state, repo, issue),
    ...(label ? { label: labelView(state, repo, label) } : {}),
  };
  return buildPayload(state, {
    event: 'issues',
    action: input.action,
    repo,
    sender: userByLogin(state, input.sender),
    fields,
  });
}

export async function pullPayload(state: State, input: PullPayload): Promise<Json> {
  const repo = repoOf(state, input.repo);
  const issue = issueOf(repo, input.pull);
  if (!issue.pull)
    throw new AppError(
      'bad_input',
      `building a payload: ${input.pull} is an issue, not a pull request`,
    );
  const label = input.label === undefined ? undefined : repo.labels.get(input.label.toLowerCase());
  const fields: Json = {
    number: issue.number,
    pull_request: await pullView(state, repo, issue, issue.pull),
    ...(label ? { label: labelView(state, repo, label) } : {}),
  };
  return buildPayload(state, {
    event: 'pull_request',
    action: input.action,
    repo,
    sender: userByLogin(state, input.sender),
    fields,
  });
}

export function payload(state: State, input: AnyPayload): Json {
  return buildPayload(state, {
    event: input.event,
    action: input.action ?? null,
    repo: repoOf(state, input.repo),
    sender: input.sender === null ? null : userByLogin(state, input.sender),
    fields: input.fields ?? {},
  });
}
