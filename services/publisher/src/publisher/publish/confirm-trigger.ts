/**
 * Asks GitHub itself whether the request exists as the ticket has it: the comment by its id, its author by id, its text and
 * edit time, and that the author may still ask. So a gate or intake that lies gets nothing published.
 */
import { errorCodeOf } from '@sallyport/shared/errors';
import { hashText } from '@sallyport/shared/task/snapshot';
import { z } from 'zod';
import { readReply } from '../github/reply.ts';
import type { TokenGrant } from '../github/token.ts';
import { answerPermission } from '../requests/permission.ts';
import { withCaseToken, type Case, type Stop } from './case.ts';

const CommentSchema = z.object({
  id: z.int(),
  body: z.string().nullish(),
  user: z.object({ id: z.int(), login: z.string(), type: z.string() }).nullable(),
  updated_at: z.string(),
  issue_url: z.string(),
});
type TriggerComment = z.infer<typeof CommentSchema>;

/** What `GET …/collaborators/{user}/permission` says for write, maintain and admin. */
const MAY_ASK: ReadonlySet<string> = new Set(['write', 'admin']);

/** Null when everything is as it was admitted. @throws AppError when GitHub could not be asked. */
export async function confirmTrigger(one: Case): Promise<Stop | null> {
  return withCaseToken(one, 'confirm_trigger', async (grant) => {
    const comment = await readTrigger(grant, one.snapshot.trigger.id);
    if (comment === null)
      return reject('trigger_gone', 'The comment that asked for this work is gone.');
    return compareTrigger(one, comment) ?? (await confirmRequester(grant, one, comment));
  });
}

async function readTrigger(grant: TokenGrant, commentId: number): Promise<TriggerComment | null> {
  try {
    const reply = await grant.octokit.request(
      'GET /repos/{owner}/{repo}/issues/comments/{comment_id}',
      {
        owner: grant.repository.owner,
        repo: grant.repository.name,
        comment_id: commentId,
      },
    );
    return readReply(CommentSchema, reply, 'reading the trigger');
  } catch (error) {
    if (errorCodeOf(error) !== 'not_found') throw error;
    return null;
  }
}

function compareTrigger({ claims, snapshot }: Case, comment: TriggerComment): Stop | null {
  const { trigger } = snapshot;
  if (comment.user?.id !== claims.requester.id) {
    return reject(
      'trigger_author_differs',
      'The comment that asked for this work is by somebody else than was admitted.',
    );
  }
  if (!comment.issue_url.endsWith(`/issues/${claims.subject.number}`)) {
    return reject(
      'trigger_moved',
      'The comment that asked for this work stands on another issue than was admitted.',
    );
  }
  const isSame =
    comment.id === trigger.id &&
    hashText(comment.body ?? '') === trigger.textSha256 &&
    Date.parse(comment.updated_at) === Date.parse(trigger.updatedAt);
  if (isSame) return null;
  return reject(
    'trigger_changed',
    'The comment that asked for this work was edited after it was admitted.',
  );
}

async function confirmRequester(
  grant: TokenGrant,
  one: Case,
  comment: TriggerComment,
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

function reject(reason: string, message: string): Stop {
  return { decision: 'reject', reason, message };
}
