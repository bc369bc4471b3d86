/**
 * Every text that the App can put on an issue, one named function each. Values come from other processes and, through
 * them, from strangers: each is cleaned or checked here, and nothing else is ever posted.
 */
import { cleanBody } from '@sallyport/policy/text';
import { quoteText } from '@sallyport/policy/compose-body';
import { AppError } from '@sallyport/shared/errors';
import type { COMMENT_TEMPLATES } from '@sallyport/shared/task/github-requests';
import { requireLogin } from './github/names.ts';

/** A template that others may ask for, or one that the publisher uses itself. */
export type CommentTemplate = (typeof COMMENT_TEMPLATES)[number] | 'published' | 'rejected';

const MAX_REASON_CHARS = 2_000;

/** The hidden mark by which a comment of ours is found again. */
export function commentMark(taskId: string, template: CommentTemplate): string {
  return `<!-- sallyport task=${taskId} template=${template} -->`;
}

/** The text of a template that another process asked for. @throws AppError `bad_input` that names the missing value. */
export function renderComment(
  template: (typeof COMMENT_TEMPLATES)[number],
  taskId: string,
  values: Readonly<Record<string, string>>,
): string {
  const login = valueOf(values, 'login');
  switch (template) {
    case 'refused':
      return refusedComment({ taskId, login, reason: valueOf(values, 'reason') });
    case 'admitted':
      return admittedComment({ taskId, login });
    case 'held':
      return heldComment({ taskId, login, reason: valueOf(values, 'reason') });
    case 'failed':
      return failedComment({ taskId, login, reason: valueOf(values, 'reason') });
    default:
      throw new AppError('bad_input', `no comment template ${String(template)}`);
  }
}

interface Told {
  taskId: string;
  /** Who asked for the work. */
  login: string;
}

/** The gate did not admit the request. */
export function refusedComment(told: Told & { reason: string }): string {
  return assemble(told.taskId, 'refused', [
    `${mention(told.login)} this request was not taken up:`,
    quotedReason(told.reason),
  ]);
}

/** The request was admitted and waits for its run. */
export function admittedComment(told: Told): string {
  return assemble(told.taskId, 'admitted', [
    `${mention(told.login)} this request was taken up. What comes of it will be linked here.`,
  ]);
}

/** A person must decide before it goes on. */
export function heldComment(told: Told & { reason: string }): string {
  return assemble(told.taskId, 'held', [
    `${mention(told.login)} the work is held until somebody who operates this App has looked at it:`,
    quotedReason(told.reason),
  ]);
}

/** The run did not come to an end. */
export function failedComment(told: Told & { reason: string }): string {
  return assemble(told.taskId, 'failed', [
    `${mention(told.login)} the run could not be finished. What there is of it is kept:`,
    quotedReason(told.reason),
  ]);
}

/** A draft pull request is open. */
export function publishedComment(told: Told & { pullNumber: number }): string {
  return assemble(told.taskId, 'published', [
    `${mention(told.login)} a draft pull request with the agents' work is open for review: #${told.pullNumber}.`,
  ]);
}

/** The publisher refused what the run ended with. */
export function rejectedComment(told: Told & { reason: string }): string {
  return assemble(told.taskId, 'rejected', [
    `${mention(told.login)} nothing was published, because the result was refused:`,
    quotedReason(told.reason),
    'The result is kept; somebody who operates this App can look at it and start the work again.',
  ]);
}

function assemble(
  taskId: string,
  template: CommentTemplate,
  paragraphs: readonly string[],
): string {
  return [...paragraphs, commentMark(taskId, template)].join('\n\n');
}

/** Mentions a person; a bot is named without waking it. */
export function mention(login: string): string {
  const known = requireLogin(login);
  return known.endsWith('[bot]') ? `\`${known}\`` : `@${known}`;
}

function quotedReason(reason: string): string {
  const { text } = cleanBody(reason, { maxChars: MAX_REASON_CHARS });
  return quoteText(text === '' ? 'No reason can be shown.' : text);
}

function valueOf(values: Readonly<Record<string, string>>, name: string): string {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined)
    throw new AppError('bad_input', `the comment lacks the value ${name}; ask again with it`);
  return value;
}
