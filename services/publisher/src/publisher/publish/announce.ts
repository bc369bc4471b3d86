/** Tells the issue what became of the request, once. */
import { errorCodeOf, isRetryable } from '@sallyport/shared/errors';
import {
  commentMark,
  heldComment,
  publishedComment,
  rejectedComment,
  type CommentTemplate,
} from '../comments.ts';
import { postOnce } from '../github/post-once.ts';
import { assertMayAct, withCaseToken, type Case } from './case.ts';
import type { Stop } from './stop.ts';

/** Says that the pull request is open. Null: the issue takes no comment (locked, gone), which changes nothing else. */
export async function announcePull(one: Case, pullNumber: number): Promise<number | null> {
  const { taskId, login } = told(one);
  return post(one, 'published', publishedComment({ taskId, login, pullNumber }));
}

/** Says why nothing was published, or not yet. */
export async function announceStop(one: Case, stop: Stop): Promise<number | null> {
  const words = { ...told(one), reason: stop.message };
  return stop.decision === 'hold'
    ? post(one, 'held', heldComment(words))
    : post(one, 'rejected', rejectedComment(words));
}

function told({ claims }: Case): { taskId: string; login: string } {
  return { taskId: claims.task_id, login: claims.requester.login };
}

async function post(one: Case, template: CommentTemplate, body: string): Promise<number | null> {
  const { context, claims, task } = one;
  await assertMayAct(one);
  try {
    return await withCaseToken(one, 'post_comment', async (grant) => {
      const bot = await context.bot(grant.octokit);
      const posted = await postOnce(grant, {
        number: claims.subject.number,
        body,
        mark: commentMark(claims.task_id, template),
        botId: bot.id,
        since: task.createdAt,
        beforeWrite: () => assertMayAct(one),
      });
      return posted.id;
    });
  } catch (error) {
    const code = errorCodeOf(error);
    if (isRetryable(error) || code === 'halted' || code === 'internal') throw error;
    context.log.warn(
      { err: error, taskId: claims.task_id, template },
      'the issue takes no comment',
    );
    return null;
  }
}
