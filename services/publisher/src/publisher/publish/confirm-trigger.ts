/**
 * Asks GitHub itself whether the request exists as the ticket has it: the comment by its id, its author by id, its text and
 * edit time, that it asks for this, and that the author may still ask. So a gate or intake that lies gets nothing published.
 */
import type { Act } from '@sallyport/shared/task/acts';
import { findCommand } from '@sallyport/shared/task/find-command';
import { hashText } from '@sallyport/shared/task/snapshot';
import type { TicketClaims } from '@sallyport/shared/ticket/claims';
import { readComment, standsOn, type IssueComment } from '../github/read-comment.ts';
import type { TokenGrant } from '../github/token.ts';
import { answerPermission } from '../requests/permission.ts';
import { answerSubject } from '../requests/subject.ts';
import { withCaseToken, type Case } from './case.ts';
import { reject, type Stop } from './stop.ts';

/** What `GET …/collaborators/{user}/permission` says for write, maintain and admin. */
const MAY_ASK: ReadonlySet<string> = new Set(['write', 'admin']);

/** What each command may end in; a command that is not listed permits nothing. */
const ACT_OF_VERB: ReadonlyMap<string, Act> = new Map([['fix', 'pull_request']]);

/** Null when everything is as it was admitted. @throws AppError when GitHub could not be asked. */
export async function confirmTrigger(one: Case): Promise<Stop | null> {
  return withCaseToken(one, 'confirm_trigger', async (grant) => {
    const comment = await readComment(grant, one.snapshot.trigger.id);
    if (comment === null)
      return reject('trigger_gone', 'The comment that asked for this work is gone.');
    return (
      compareTrigger(one, comment) ??
      (await confirmSubject(grant, one)) ??
      (await confirmRequester(grant, one, comment))
    );
  });
}

/** The agents were given the issue's text from the snapshot: a gate that lies could have written another. */
async function confirmSubject(grant: TokenGrant, { claims, snapshot }: Case): Promise<Stop | null> {
  const now = await answerSubject(grant, { number: claims.subject.number });
  if (!now.found) return reject('subject_gone', 'The issue that this is about is gone.');
  const { number, title, body } = snapshot.subject;
  if (number === claims.subject.number && now.title === title && now.body === body) return null;
  return {
    decision: 'hold',
    reason: 'subject_changed',
    message: 'The title or the text of the issue is another than the one that was worked on.',
  };
}

function compareTrigger({ claims, snapshot }: Case, comment: IssueComment): Stop | null {
  const { trigger } = snapshot;
  if (comment.user?.id !== claims.requester.id) {
    return reject(
      'trigger_author_differs',
      'The comment that asked for this work is by somebody else than was admitted.',
    );
  }
  if (!standsOn(comment, claims.subject.number)) {
    return reject(
      'trigger_moved',
      'The comment that asked for this work stands on another issue than was admitted.',
    );
  }
  const isSame =
    comment.id === trigger.id &&
    hashText(comment.body ?? '') === trigger.textSha256 &&
    Date.parse(comment.updated_at) === Date.parse(trigger.updatedAt);
  if (!isSame) {
    return reject(
      'trigger_changed',
      'The comment that asked for this work was edited after it was admitted.',
    );
  }
  return asksFor(claims, comment)
    ? null
    : reject('trigger_asks_otherwise', 'The comment does not ask for what was admitted.');
}

/** A gate that lies could name any comment of somebody who may ask: it must be a person's, and ask for this very act. */
function asksFor(claims: TicketClaims, comment: IssueComment): boolean {
  const command = findCommand(comment.body ?? '');
  return (
    command !== null &&
    comment.user?.type === 'User' &&
    ACT_OF_VERB.get(command.verb) === claims.act &&
    (command.team === null || command.team === claims.team.name)
  );
}

async function confirmRequester(
  grant: TokenGrant,
  one: Case,
  comment: IssueComment,
): Promise<Stop | null> {
  // By the login of now: the account is known by its id, and logins change.
  const login = comment.user?.login ?? one.claims.requester.login;
  const { userId, permission } = await answerPermission(grant, { login });
  if (userId === one.claims.requester.id && permission !== null && MAY_ASK.has(permission))
    return null;
  return reject(
    'permission_lost',
    'Whoever asked for this work may no longer write to the repository.',
  );
}
