/**
 * Says what a stored delivery is: a command, nothing for us, or something that cannot be used. Pure and total: whatever
 * the bytes are, it answers, so that no delivery can stop the line or be tried for ever.
 */
import type { DeliveryContentType } from '@sallyport/shared/db/delivery';
import { findCommand, type Command } from '@sallyport/shared/task/find-command';
import {
  CommentGlanceSchema,
  CommentPayloadSchema,
  type CommentGlance,
  type CommentPayload,
} from './comment-payload.ts';
import { decodeBody } from './decode-body.ts';
import { compareShape, isKnownEvent } from './event-shapes.ts';

export const NOT_FOR_US_REASONS = [
  'event_not_handled',
  'action_not_handled',
  'own_event',
  'no_command',
  'bot_author',
  'no_installation',
] as const;
export type NotForUsReason = (typeof NOT_FOR_US_REASONS)[number];

export const UNUSABLE_REASONS = [
  'not_utf8',
  'not_json',
  'not_an_object',
  'event_mismatch',
  'malformed',
  'author_unknown',
  'sender_unknown',
  'sender_is_not_author',
] as const;
export type UnusableReason = (typeof UNUSABLE_REASONS)[number];

/** A comment that asks for something, as its delivery tells it. */
export interface CommandEvent {
  kind: 'command';
  /** Equal for the same comment, under whichever GUID and to whichever hook it was delivered. */
  sourceKey: string;
  installationId: number;
  repository: { id: number; owner: string; name: string };
  /** The texts are those at the time of the comment: what the requester had before them. */
  subject: { kind: 'issue' | 'pull_request'; number: number; title: string; body: string };
  comment: { id: number; text: string; createdAt: string; updatedAt: string };
  requester: { id: number; login: string };
  command: Command;
}

export type ParsedDelivery =
  | CommandEvent
  | { kind: 'not_for_us'; reason: NotForUsReason }
  | { kind: 'unusable'; reason: UnusableReason };

/** Our own App, whose events are not commands. */
export interface OwnApp {
  id: number;
  slug: string;
}

export function parseDelivery(
  delivery: { event: string; contentType: DeliveryContentType; body: Buffer },
  own: OwnApp,
): ParsedDelivery {
  if (!isKnownEvent(delivery.event)) return notForUs('event_not_handled');
  const decoded = decodeBody(delivery.contentType, delivery.body);
  if (!decoded.ok) return unusable(decoded.reason);
  if (compareShape(delivery.event, decoded.payload) !== 'fits') return unusable('event_mismatch');
  if (delivery.event !== 'issue_comment') return notForUs('event_not_handled');

  const glance = CommentGlanceSchema.safeParse(decoded.payload);
  if (!glance.success) return unusable('malformed');
  if (glance.data.action !== 'created') return notForUs('action_not_handled');
  if (isOwnEvent(glance.data, own)) return notForUs('own_event');
  const command = findCommand(glance.data.comment.body ?? '');
  if (command === null) return notForUs('no_command');

  const payload = CommentPayloadSchema.safeParse(decoded.payload);
  if (!payload.success) return unusable('malformed');
  return toCommandEvent(payload.data, command);
}

function isOwnEvent(payload: CommentGlance, own: OwnApp): boolean {
  const bot = `${own.slug}[bot]`.toLowerCase();
  const logins = [payload.sender?.login, payload.comment.user?.login];
  return (
    payload.comment.performed_via_github_app?.id === own.id ||
    logins.some((login) => login?.toLowerCase() === bot)
  );
}

function toCommandEvent(payload: CommentPayload, command: Command): ParsedDelivery {
  const { comment, issue, repository, sender, installation } = payload;
  const author = comment.user ?? null;
  if (author === null) return unusable('author_unknown');
  if (!sender) return unusable('sender_unknown');
  // Whoever made the comment sent the event; anything else is not the event that it claims to be.
  if (sender.id !== author.id) return unusable('sender_is_not_author');
  if (author.type === 'Bot' || author.login.endsWith('[bot]')) return notForUs('bot_author');
  if (!installation) return notForUs('no_installation');
  return {
    kind: 'command',
    sourceKey: `${repository.id}:issue_comment:${comment.id}:${comment.created_at}`,
    installationId: installation.id,
    repository: { id: repository.id, owner: repository.owner.login, name: repository.name },
    subject: {
      kind: (issue.pull_request ?? null) === null ? 'issue' : 'pull_request',
      number: issue.number,
      title: issue.title,
      body: issue.body ?? '',
    },
    comment: {
      id: comment.id,
      text: comment.body,
      createdAt: comment.created_at,
      updatedAt: comment.updated_at,
    },
    requester: { id: author.id, login: author.login },
    command,
  };
}

function notForUs(reason: NotForUsReason): ParsedDelivery {
  return { kind: 'not_for_us', reason };
}

function unusable(reason: UnusableReason): ParsedDelivery {
  return { kind: 'unusable', reason };
}
