/** Reads the comment that asked for work, as GitHub has it now: whoever claims that somebody asked is held against it. */
import { errorCodeOf } from '@sallyport/shared/errors';
import { z } from 'zod';
import { readReply } from './reply.ts';
import type { TokenGrant } from './token.ts';

const CommentSchema = z.object({
  id: z.int(),
  body: z.string().nullish(),
  user: z.object({ id: z.int(), login: z.string(), type: z.string() }).nullable(),
  updated_at: z.string(),
  issue_url: z.string(),
});
export type IssueComment = z.infer<typeof CommentSchema>;

/** The comment, or null when it is gone. @throws AppError when GitHub could not be asked. */
export async function readComment(
  grant: TokenGrant,
  commentId: number,
): Promise<IssueComment | null> {
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

/** Whether a comment stands on this issue or pull request. */
export function standsOn(comment: IssueComment, number: number): boolean {
  return comment.issue_url.endsWith(`/issues/${number}`);
}
