/** Pull requests: listed, opened with GitHub's own reasons for refusing, changed, and looked into. */
import { diffFiles } from '../git/diff.ts';
import { listCommits, mergeBase, readRef } from '../git/refs.ts';
import { listReply } from '../http/pagination.ts';
import { Refused, created, notFound, ok, validationFailed, type Reply } from '../http/reply.ts';
import { issueIn, repoIn, textIn, type RestContext, type Route } from '../http/route.ts';
import { changeIssue } from '../state/issues.ts';
import { createPull } from '../state/pulls.ts';
import { fullNameOf, userById, type State } from '../state/state.ts';
import type { Issue, Pull, Repo } from '../state/types.ts';
import { commitView, fileView } from '../view/commit-view.ts';
import { pullSimpleView, pullView } from '../view/pull-view.ts';
import { MAX_BODY_CHARACTERS } from './issue-routes.ts';

const RESOURCE = 'PullRequest';

export function pullIn(context: RestContext): { issue: Issue; pull: Pull } {
  const issue = issueIn(context, 'pull_number');
  if (!issue.pull) throw notFound();
  return { issue, pull: issue.pull };
}

function checkBody(body: string | undefined): void {
  if ((body?.length ?? 0) <= MAX_BODY_CHARACTERS) return;
  const message = `body is too long (maximum is ${MAX_BODY_CHARACTERS} characters)`;
  throw validationFailed({ resource: 'Issue', code: 'custom', field: 'body', message });
}

/** `branch`, `owner:branch` or `owner/repo:branch`: the repository and branch that a head means, or null. */
function headOf(state: State, base: Repo, head: string): { repo: Repo; ref: string } | null {
  const colon = head.indexOf(':');
  if (colon < 0) return { repo: base, ref: head };
  const owner = head.slice(0, colon).toLowerCase();
  const ref = head.slice(colon + 1);
  const family = [...state.repos.values()].filter(
    (repo) => !repo.deleted && (repo.id === base.id || repo.forkOf === base.id),
  );
  const found = family.find((repo) => {
    const login = userById(state, repo.ownerId).login.toLowerCase();
    return login === owner || fullNameOf(state, repo).toLowerCase() === owner;
  });
  return found ? { repo: found, ref } : null;
}

async function openPull(context: RestContext): Promise<Reply> {
  const { state, request } = context;
  const repo = repoIn(context);
  const [title, body, head, base] = ['title', 'body', 'head', 'base'].map((name) =>
    textIn(context, name),
  );
  if (repo.archived) throw new Refused(403, 'Repository was archived so is read-only.');
  checkBody(body);
  if (title === undefined || title === '')
    throw validationFailed({ resource: RESOURCE, code: 'missing_field', field: 'title' });
  const baseRef = base === undefined ? null : await readRef(repo.gitDir, `refs/heads/${base}`);
  if (base === undefined || !baseRef)
    throw validationFailed({ resource: RESOURCE, code: 'invalid', field: 'base' });
  const source = headOf(state, repo, head ?? '');
  const headRef = source && (await readRef(source.repo.gitDir, `refs/heads/${source.ref}`));
  if (!source || !headRef)
    throw validationFailed({ resource: RESOURCE, code: 'invalid', field: 'head' });
  const label = `${userById(state, source.repo.ownerId).login}:${source.ref}`;
  const twin = [...repo.issues.values()].find(
    ({ pull, state: status }) =>
      status === 'open' &&
      pull?.headRepoId === source.repo.id &&
      pull.headRef === source.ref &&
      pull.baseRef === base,
  );
  if (twin) {
    const message = `A pull request already exists for ${label}.`;
    throw validationFailed({ resource: RESOURCE, code: 'custom', message });
  }
  const sameRepo = source.repo.id === repo.id;
  if (sameRepo && (await listCommits(repo.gitDir, baseRef.sha, headRef.sha)).length === 0) {
    throw validationFailed({
      resource: RESOURCE,
      code: 'custom',
      message: `No commits between ${base} and ${source.ref}`,
    });
  }
  const issue = await createPull(state, repo, {
    title,
    body: body ?? null,
    userId: state.app.botId,
    headRepo: source.repo,
    headRef: source.ref,
    headSha: headRef.sha,
    baseRef: base,
    baseSha: baseRef.sha,
    draft: request.body['draft'] === true,
    viaApp: true,
  });
  return created(
    await echoPull(context, issue, 'opened'),
    `${state.url}/${fullNameOf(state, repo)}/pull/${issue.number}`,
  );
}

async function echoPull(
  context: RestContext,
  issue: Issue,
  action: string,
): Promise<Record<string, unknown>> {
  const repo = repoIn(context);
  if (!issue.pull) throw notFound();
  const view = await pullView(context.state, repo, issue, issue.pull);
  context.echo('pull_request', action, {
    repo,
    fields: { number: issue.number, pull_request: view },
  });
  return view;
}

async function changePull(context: RestContext): Promise<Reply> {
  const { issue, pull } = pullIn(context);
  const repo = repoIn(context);
  const [title, body, wanted, base] = ['title', 'body', 'state', 'base'].map((name) =>
    textIn(context, name),
  );
  checkBody(body);
  if (base !== undefined) {
    const ref = await readRef(repo.gitDir, `refs/heads/${base}`);
    if (!ref) throw validationFailed({ resource: RESOURCE, code: 'invalid', field: 'base' });
    pull.baseRef = base;
    pull.baseSha = ref.sha;
  }
  changeIssue(context.state, issue, {
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body }),
    ...(wanted === 'open' || wanted === 'closed' ? { state: wanted } : {}),
  });
  return ok(await echoPull(context, issue, wanted === 'closed' ? 'closed' : 'edited'));
}

function listPulls(context: RestContext): Promise<Reply> {
  const repo = repoIn(context);
  const { head, base, state: wanted = 'open', direction } = context.request.query;
  const list = [...repo.issues.values()].flatMap((issue) =>
    issue.pull ? [{ issue, pull: issue.pull }] : [],
  );
  const chosen = list
    .filter(({ issue }) => wanted === 'all' || issue.state === wanted)
    .filter(({ pull }) => base === undefined || pull.baseRef === base)
    // GitHub ignores a head without an owner, and then gives every pull request: a caller must not rely on it.
    .filter(
      ({ pull }) =>
        head === undefined ||
        !head.includes(':') ||
        `${pull.headLabelOwner}:${pull.headRef}` === head,
    );
  const ordered = direction === 'asc' ? chosen : chosen.toReversed();
  return listReply(context, ordered, ({ issue, pull }) =>
    pullSimpleView(context.state, repo, issue, pull),
  );
}

export const PULL_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls',
    auth: 'token',
    needs: [{ pull_requests: 'read' }],
    handle: listPulls,
  },
  {
    method: 'POST',
    path: '/repos/{owner}/{repo}/pulls',
    auth: 'token',
    needs: [{ pull_requests: 'write' }],
    handle: openPull,
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}',
    auth: 'token',
    needs: [{ pull_requests: 'read' }],
    handle: async (context) => {
      const { issue, pull } = pullIn(context);
      return ok(await pullView(context.state, repoIn(context), issue, pull));
    },
  },
  {
    method: 'PATCH',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}',
    auth: 'token',
    needs: [{ pull_requests: 'write' }],
    handle: changePull,
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}/files',
    auth: 'token',
    needs: [{ pull_requests: 'read' }],
    handle: async (context) => {
      const { pull } = pullIn(context);
      const repo = repoIn(context);
      const base = await mergeBase(repo.gitDir, pull.baseSha, pull.headSha);
      const files = await diffFiles(repo.gitDir, base, pull.headSha);
      return listReply(context, files.slice(0, 3000), (file) =>
        fileView(context.state, repo, pull.headSha, file),
      );
    },
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}/commits',
    auth: 'token',
    needs: [{ pull_requests: 'read' }],
    handle: async (context) => {
      const { pull } = pullIn(context);
      const repo = repoIn(context);
      const base = await mergeBase(repo.gitDir, pull.baseSha, pull.headSha);
      const commits = await listCommits(repo.gitDir, base, pull.headSha);
      return listReply(context, commits, (sha) => commitView(context.state, repo, sha));
    },
  },
];
