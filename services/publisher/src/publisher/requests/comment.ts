/** Posts one comment from a template, once. The halt is asked directly before the write. */
import { crashPoint } from '@sallyport/shared/crash-point';
import type { GithubAnswer, GithubParams } from '@sallyport/shared/task/github-requests';
import type { HeldLock } from '@sallyport/shared/db/task-lock';
import { commentMark, renderComment } from '../comments.ts';
import type { PublisherContext } from '../context.ts';
import { postOnce } from '../github/post-once.ts';
import type { TokenGrant } from '../github/token.ts';

export async function answerComment(
  context: PublisherContext,
  grant: TokenGrant,
  task: { id: string; createdAt: Date },
  params: GithubParams<'comment'>,
  lock: HeldLock,
): Promise<GithubAnswer<'comment'>> {
  const bot = await context.bot(grant.octokit);
  const posted = await postOnce(grant, {
    number: params.number,
    body: renderComment(params.template, task.id, params.values),
    mark: commentMark(task.id, params.template),
    botId: bot.id,
    since: task.createdAt,
    async beforeWrite() {
      lock.assertHeld();
      await context.halt.assertClear(grant.repository.id);
    },
  });
  crashPoint('publisher:refusal_told_not_answered');
  return { commentId: posted.id };
}
