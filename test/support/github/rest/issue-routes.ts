/** Issues, their labels and their events. */
import { listReply } from '../http/pagination.ts';
import { Refused, created, notFound, ok, validationFailed } from '../http/reply.ts';
import {
  issueIn,
  param,
  repoIn,
  textIn,
  tokenPermissions,
  type RestContext,
  type Route,
} from '../http/route.ts';
import { includesAccess } from '../app/tokens.ts';
import { addLabel, changeIssue, createIssue, ensureLabel, removeLabel } from '../state/issues.ts';
import type { Access, Issue } from '../state/types.ts';
import { eventView, issueView, labelView } from '../view/issue-view.ts';

export const MAX_BODY_CHARACTERS = 65_536;
export const READ_ISSUES = [{ issues: 'read' }, { pull_requests: 'read' }] as const;
export const WRITE_ISSUES = [{ issues: 'write' }, { pull_requests: 'write' }] as const;

/** The permission for pull requests opens the issue face of pull requests only; a plain issue wants `issues`. */
export function needIssueAccess(context: RestContext, issue: Issue, access: Access): void {
  if (issue.pull || includesAccess(tokenPermissions(context.actor), 'issues', access)) return;
  throw new Refused(403, 'Resource not accessible by integration');
}

function labelNames(context: RestContext): string[] {
  const given = context.request.body['labels'];
  const list: unknown[] = Array.isArray(given) ? given : [];
  return list.map((one) =>
    typeof one === 'string' ? one : String((one as Record<string, unknown>)['name']),
  );
}

function labelsReply(context: RestContext, issue: Issue): Promise<ReturnType<typeof ok>> {
  return listReply(context, issue.labels, (label) =>
    labelView(context.state, repoIn(context), label),
  );
}

export const ISSUE_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues',
    auth: 'token',
    needs: [{ issues: 'read' }],
    handle: (context) => {
      const wanted = context.request.query['state'] ?? 'open';
      const labels = (context.request.query['labels'] ?? '').split(',').filter(Boolean);
      const list = [...repoIn(context).issues.values()]
        .filter((issue) => wanted === 'all' || issue.state === wanted)
        .filter((issue) =>
          labels.every((name) => issue.labels.some((label) => label.name === name)),
        )
        .toReversed();
      return listReply(context, list, (issue) => issueView(context.state, repoIn(context), issue));
    },
  },
  {
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues',
    auth: 'token',
    needs: [{ issues: 'write' }],
    handle: (context) => {
      const { state, request } = context;
      const issue = createIssue(state, repoIn(context), {
        title: String(request.body['title']),
        body: textIn(context, 'body') ?? null,
        userId: state.app.botId,
        labels: labelNames(context),
        viaApp: true,
      });
      return created(issueView(state, repoIn(context), issue));
    },
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/{issue_number}',
    auth: 'token',
    needs: READ_ISSUES,
    handle: (context) => {
      const issue = issueIn(context);
      needIssueAccess(context, issue, 'read');
      return ok(issueView(context.state, repoIn(context), issue));
    },
  },
  {
    method: 'PATCH',
    path: '/repos/{owner}/{repo}/issues/{issue_number}',
    auth: 'token',
    needs: WRITE_ISSUES,
    handle: (context) => {
      const issue = issueIn(context);
      needIssueAccess(context, issue, 'write');
      const [title, body, wanted] = [
        textIn(context, 'title'),
        textIn(context, 'body'),
        textIn(context, 'state'),
      ];
      if ((body?.length ?? 0) > MAX_BODY_CHARACTERS) {
        throw validationFailed({
          resource: 'Issue',
          code: 'custom',
          field: 'body',
          message: `body is too long (maximum is ${MAX_BODY_CHARACTERS} characters)`,
        });
      }
      changeIssue(context.state, issue, {
        ...(title === undefined ? {} : { title }),
        ...(body === undefined ? {} : { body }),
        ...(wanted === 'open' || wanted === 'closed' ? { state: wanted } : {}),
      });
      return ok(issueView(context.state, repoIn(context), issue));
    },
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/events/{event_id}',
    auth: 'token',
    needs: READ_ISSUES,
    handle: (context) => {
      const repo = repoIn(context);
      const event = repo.events.get(Number(param(context, 'event_id')));
      const issue = event && repo.issues.get(event.issueNumber);
      if (!event || !issue) throw notFound();
      needIssueAccess(context, issue, 'read');
      return ok({
        ...eventView(context.state, repo, event),
        issue: issueView(context.state, repo, issue),
      });
    },
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/events',
    auth: 'token',
    needs: READ_ISSUES,
    handle: (context) => {
      const issue = issueIn(context);
      needIssueAccess(context, issue, 'read');
      const list = [...repoIn(context).events.values()].filter(
        (event) => event.issueNumber === issue.number,
      );
      return listReply(context, list, (event) => eventView(context.state, repoIn(context), event));
    },
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/labels',
    auth: 'token',
    needs: READ_ISSUES,
    handle: (context) => labelsReply(context, issueIn(context)),
  },
  {
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/labels',
    auth: 'token',
    needs: WRITE_ISSUES,
    handle: (context) => {
      const issue = issueIn(context);
      needIssueAccess(context, issue, 'write');
      for (const name of labelNames(context))
        addLabel(context.state, repoIn(context), issue, name, context.state.app.botId);
      return labelsReply(context, issue);
    },
  },
  {
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}',
    auth: 'token',
    needs: WRITE_ISSUES,
    handle: (context) => {
      const issue = issueIn(context);
      needIssueAccess(context, issue, 'write');
      const { state } = context;
      const removed = removeLabel(
        state,
        repoIn(context),
        issue,
        param(context, 'name'),
        state.app.botId,
      );
      if (!removed) throw new Refused(404, 'Label does not exist');
      return labelsReply(context, issue);
    },
  },
  {
    method: 'POST',
    path: '/repos/{owner}/{repo}/labels',
    auth: 'token',
    needs: [{ issues: 'write' }, { pull_requests: 'write' }],
    handle: (context) => {
      const name = textIn(context, 'name') ?? '';
      if (repoIn(context).labels.has(name.toLowerCase())) {
        throw validationFailed({ resource: 'Label', code: 'already_exists', field: 'name' });
      }
      return created(
        labelView(
          context.state,
          repoIn(context),
          ensureLabel(context.state, repoIn(context), name),
        ),
      );
    },
  },
];
