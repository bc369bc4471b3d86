/**
 * Posts one comment from a template, once, on the issue where the task was asked for and to whoever asked there: GitHub is
 * asked for that comment first, so that nobody can have us speak where we were not spoken to. The halt is asked directly
 * before the write.
 */
import { crashPoint } from '@sallyport/shared/crash-point';
import type { GithubAnswer, GithubParams } from '@sallyport/shared/task/github-requests';
import type { HeldLock } from '@sallyport/shared/db/task-lock';
import type { TaskRow } from '@sallyport/shared/db/task';
import { AppError } from '@sallyport/shared/errors';
import { findCommand } from '@sallyport/shared/task/find-command';
import { commentMark, renderComment } from '../comments.ts';
import type { PublisherContext } from '../context.ts';
import { readComment, standsOn } from '../github/read-comment.ts';
import { postOnce } from '../github/post-once.ts';
import type { TokenGrant } from '../github/token.ts';

export async function answerComment(
  context: PublisherContext,
  grant: TokenGrant,
  task: Pick<TaskRow, 'id' | 'createdAt' | 'commentId' | 'requesterId' | 'subjectNumber'>,
  params: GithubParams<'comment'>,
  lock: HeldLock,
): Promise<GithubAnswer<'comment'>> {
  const login = await confirmAsked(grant, task, params.number);
  const bot = await context.bot(grant.octokit);
  const posted = await postOnce(grant, {
    number: params.number,
    body: renderComment(params.template, task.id, { ...params.values, login }),
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

/** The login of now of whoever asked. @throws AppError `forbidden` with `detail.why` `not_asked_here`. */
async function confirmAsked(
  grant: TokenGrant,
  task: Pick<TaskRow, 'commentId' | 'requesterId' | 'subjectNumber'>,
  number: number,
): Promise<string> {
  const comment = task.commentId === null ? null : await readComment(grant, task.commentId);
  const user = comment?.user ?? null;
  const isAsked =
    comment !== null &&
    number === task.subjectNumber &&
    standsOn(comment, number) &&
    findCommand(comment.body ?? '') !== null;
  if (!isAsked || user?.id !== task.requesterId) {
    throw new AppError('forbidden', 'a comment where nobody asked for anything', {
      detail: { why: 'not_asked_here' },
    });
  }
  return user.login;
}
