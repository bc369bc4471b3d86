/** Reviews of pull requests and the comments on their lines. */
import { diffFiles } from '../git/diff.ts';
import { mergeBase } from '../git/refs.ts';
import { listReply } from '../http/pagination.ts';
import { Refused, created, notFound, ok, validationFailed, type Reply } from '../http/reply.ts';
import { param, repoIn, textIn, type RestContext, type Route } from '../http/route.ts';
import type { Review, ReviewComment } from '../state/types.ts';
import { reviewCommentView, reviewView } from '../view/pull-view.ts';
import { pullIn } from './pull-routes.ts';

const STATES: Readonly<Record<string, string>> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
};

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function newComment(
  context: RestContext,
  given: Record<string, unknown>,
  commitId: string,
  reviewId: number | null,
): ReviewComment {
  return {
    id: context.state.nextId('review_comment'),
    reviewId,
    userId: context.state.app.botId,
    body: String(given['body'] ?? ''),
    path: String(given['path'] ?? ''),
    line: typeof given['line'] === 'number' ? given['line'] : null,
    startLine: typeof given['start_line'] === 'number' ? given['start_line'] : null,
    side: given['side'] === 'LEFT' ? 'LEFT' : 'RIGHT',
    commitId,
    inReplyTo: typeof given['in_reply_to'] === 'number' ? given['in_reply_to'] : null,
    createdAt: context.state.now(),
  };
}

/** GitHub refuses the whole review when one comment points at a file outside the difference. */
async function checkPaths(
  context: RestContext,
  comments: readonly Record<string, unknown>[],
): Promise<void> {
  const { pull } = pullIn(context);
  const { gitDir } = repoIn(context);
  if (comments.length === 0) return;
  const files = await diffFiles(
    gitDir,
    await mergeBase(gitDir, pull.baseSha, pull.headSha),
    pull.headSha,
  );
  if (comments.every((one) => files.some((file) => file.path === one['path']))) return;
  throw new Refused(422, 'Unprocessable Entity', { errors: ['Path could not be resolved'] });
}

async function postReview(context: RestContext): Promise<Reply> {
  const { issue, pull } = pullIn(context);
  const { state } = context;
  const event = textIn(context, 'event');
  const body = textIn(context, 'body') ?? '';
  const list = context.request.body['comments'];
  const comments = (Array.isArray(list) ? list : []).map(record);
  if (event !== undefined && event !== 'APPROVE' && body === '' && comments.length === 0) {
    throw validationFailed({ resource: 'PullRequestReview', code: 'missing_field', field: 'body' });
  }
  if (event !== undefined && event !== 'COMMENT' && issue.userId === state.app.botId) {
    const verb = event === 'APPROVE' ? 'approve' : 'request changes on';
    throw new Refused(422, 'Unprocessable Entity', {
      errors: [`Can not ${verb} your own pull request`],
    });
  }
  await checkPaths(context, comments);
  const commitId = textIn(context, 'commit_id') ?? pull.headSha;
  const review: Review = {
    id: state.nextId('review'),
    userId: state.app.botId,
    body,
    state: event === undefined ? 'PENDING' : (STATES[event] ?? 'COMMENTED'),
    commitId,
    submittedAt: state.now(),
  };
  pull.reviews.push(review);
  pull.reviewComments.push(...comments.map((one) => newComment(context, one, commitId, review.id)));
  const view = reviewView(state, repoIn(context), issue, review);
  context.echo('pull_request_review', 'submitted', {
    repo: repoIn(context),
    fields: { review: view },
  });
  return ok(view);
}

async function postComment(context: RestContext): Promise<Reply> {
  const { issue, pull } = pullIn(context);
  const given = context.request.body;
  await checkPaths(context, [given]);
  const comment = newComment(context, given, textIn(context, 'commit_id') ?? pull.headSha, null);
  pull.reviewComments.push(comment);
  const view = reviewCommentView(context.state, repoIn(context), issue, comment);
  return created(view, String(view['url']));
}

const READ = [{ pull_requests: 'read' }] as const;
const WRITE = [{ pull_requests: 'write' }] as const;
const PULL = '/repos/{owner}/{repo}/pulls/{pull_number}';

export const REVIEW_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: `${PULL}/reviews`,
    auth: 'token',
    needs: READ,
    handle: (context) => {
      const { issue, pull } = pullIn(context);
      return listReply(context, pull.reviews, (one) =>
        reviewView(context.state, repoIn(context), issue, one),
      );
    },
  },
  { method: 'POST', path: `${PULL}/reviews`, auth: 'token', needs: WRITE, handle: postReview },
  {
    method: 'GET',
    path: `${PULL}/reviews/{review_id}`,
    auth: 'token',
    needs: READ,
    handle: (context) => {
      const { issue, pull } = pullIn(context);
      const review = pull.reviews.find((one) => one.id === Number(param(context, 'review_id')));
      if (!review) throw notFound();
      return ok(reviewView(context.state, repoIn(context), issue, review));
    },
  },
  {
    method: 'GET',
    path: `${PULL}/comments`,
    auth: 'token',
    needs: READ,
    handle: (context) => {
      const { issue, pull } = pullIn(context);
      const view = (one: ReviewComment): unknown =>
        reviewCommentView(context.state, repoIn(context), issue, one);
      return listReply(context, pull.reviewComments, view);
    },
  },
  { method: 'POST', path: `${PULL}/comments`, auth: 'token', needs: WRITE, handle: postComment },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls/comments/{comment_id}',
    auth: 'token',
    needs: READ,
    handle: (context) => {
      const repo = repoIn(context);
      const id = Number(param(context, 'comment_id'));
      for (const issue of repo.issues.values()) {
        const comment = issue.pull?.reviewComments.find((one) => one.id === id);
        if (comment) return ok(reviewCommentView(context.state, repo, issue, comment));
      }
      throw notFound();
    },
  },
];
