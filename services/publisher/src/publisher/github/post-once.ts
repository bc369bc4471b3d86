/**
 * Posts a comment exactly once, whatever became of earlier attempts: each comment carries a hidden mark of its task and
 * template, and one of our own with that mark is adopted. Others can copy the mark, so only our bot's comments count.
 */
import { z } from 'zod';
import { readReply } from './reply.ts';
import type { TokenGrant } from './token.ts';

const CommentSchema = z.object({
  id: z.int(),
  body: z.string().nullish(),
  user: z.object({ id: z.int() }).nullable(),
});
/** Our clock may run ahead of GitHub's by as much. */
const CLOCK_SLACK_MS = 600_000;

export interface CommentToPost {
  number: number;
  /** The whole text, the mark in it. */
  body: string;
  mark: string;
  botId: number;
  /** Nothing was posted before this. */
  since: Date;
  /** Called directly before the write: the place for halts and locks to stop it. */
  beforeWrite: () => Promise<void>;
}

/** The id of the comment, and whether it was there before. */
export async function postOnce(
  grant: TokenGrant,
  comment: CommentToPost,
): Promise<{ id: number; adopted: boolean }> {
  const place = {
    owner: grant.repository.owner,
    repo: grant.repository.name,
    issue_number: comment.number,
  };
  const pages = grant.octokit.paginate.iterator(
    'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
    {
      ...place,
      since: new Date(comment.since.getTime() - CLOCK_SLACK_MS).toISOString(),
      per_page: 100,
    },
  );
  for await (const page of pages) {
    const comments = readReply(z.array(CommentSchema), page, 'listing comments');
    const ours = comments.find(
      ({ user, body }) => user?.id === comment.botId && body?.includes(comment.mark) === true,
    );
    if (ours !== undefined) return { id: ours.id, adopted: true };
  }
  await comment.beforeWrite();
  const reply = await grant.octokit.request(
    'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
    {
      ...place,
      body: comment.body,
    },
  );
  return { id: readReply(CommentSchema, reply, 'posting a comment', 201).id, adopted: false };
}
