/** Comments on issues and pull requests, and the reactions that answer them. */
import { listReply } from '../http/pagination.ts';
import { NO_CONTENT, Refused, created, notFound, ok, validationFailed } from '../http/reply.ts';
import { issueIn, param, repoIn, textIn, type RestContext, type Route } from '../http/route.ts';
import { createComment, editComment } from '../state/issues.ts';
import type { Comment, Issue } from '../state/types.ts';
import { userById } from '../state/state.ts';
import { nodeId, timestamp } from '../view/common.ts';
import { commentView, issueView } from '../view/issue-view.ts';
import { userView } from '../view/user-view.ts';
import { MAX_BODY_CHARACTERS, READ_ISSUES, WRITE_ISSUES, needIssueAccess } from './issue-routes.ts';

function commentIn(context: RestContext): { comment: Comment; issue: Issue } {
  const repo = repoIn(context);
  const comment = repo.comments.get(Number(param(context, 'comment_id')));
  const issue = comment && repo.issues.get(comment.issueNumber);
  if (!comment || !issue) throw notFound();
  return { comment, issue };
}

function bodyIn(context: RestContext): string {
  const body = textIn(context, 'body') ?? '';
  if (body === '')
    throw validationFailed({ resource: 'IssueComment', code: 'missing_field', field: 'body' });
  if (body.length > MAX_BODY_CHARACTERS) {
    throw validationFailed({
      resource: 'IssueComment',
      code: 'unprocessable',
      field: 'data',
      message: `Body is too long (maximum is ${MAX_BODY_CHARACTERS} characters)`,
    });
  }
  return body;
}

function reactionReply(context: RestContext): ReturnType<typeof created> {
  const { state, request } = context;
  const id = state.nextId('misc');
  return created({
    id,
    node_id: nodeId('Reaction', id),
    user: userView(state, userById(state, state.app.botId)),
    content: request.body['content'],
    created_at: timestamp(state.now()),
  });
}

export const COMMENT_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/comments',
    auth: 'token',
    needs: READ_ISSUES,
    handle: (context) => {
      const issue = issueIn(context);
      needIssueAccess(context, issue, 'read');
      const since = context.request.query['since'];
      const list = [...repoIn(context).comments.values()]
        .filter((comment) => comment.issueNumber === issue.number)
        .filter((comment) => since === undefined || comment.updatedAt >= new Date(since));
      return listReply(context, list, (comment) =>
        commentView(context.state, repoIn(context), issue, comment),
      );
    },
  },
  {
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/comments',
    auth: 'token',
    needs: WRITE_ISSUES,
    handle: (context) => {
      const { state } = context;
      const repo = repoIn(context);
      const issue = issueIn(context);
      needIssueAccess(context, issue, 'write');
      if (issue.locked) throw new Refused(403, 'Unable to create comment because issue is locked.');
      const comment = createComment(state, repo, issue, {
        body: bodyIn(context),
        userId: state.app.botId,
        viaApp: true,
      });
      const view = commentView(state, repo, issue, comment);
      context.echo('issue_comment', 'created', {
        repo,
        fields: { issue: issueView(state, repo, issue), comment: view },
      });
      return created(view, String(view['url']));
    },
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/comments/{comment_id}',
    auth: 'token',
    needs: READ_ISSUES,
    handle: (context) => {
      const { comment, issue } = commentIn(context);
      needIssueAccess(context, issue, 'read');
      return ok(commentView(context.state, repoIn(context), issue, comment));
    },
  },
  {
    method: 'PATCH',
    path: '/repos/{owner}/{repo}/issues/comments/{comment_id}',
    auth: 'token',
    needs: WRITE_ISSUES,
    handle: (context) => {
      const { comment, issue } = commentIn(context);
      needIssueAccess(context, issue, 'write');
      editComment(context.state, comment, bodyIn(context));
      return ok(commentView(context.state, repoIn(context), issue, comment));
    },
  },
  {
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/issues/comments/{comment_id}',
    auth: 'token',
    needs: WRITE_ISSUES,
    handle: (context) => {
      const { comment, issue } = commentIn(context);
      needIssueAccess(context, issue, 'write');
      repoIn(context).comments.delete(comment.id);
      return NO_CONTENT;
    },
  },
  {
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
    auth: 'token',
    needs: WRITE_ISSUES,
    handle: (context) => {
      needIssueAccess(context, commentIn(context).issue, 'write');
      return reactionReply(context);
    },
  },
  {
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/reactions',
    auth: 'token',
    needs: WRITE_ISSUES,
    handle: (context) => {
      needIssueAccess(context, issueIn(context), 'write');
      return reactionReply(context);
    },
  },
];
