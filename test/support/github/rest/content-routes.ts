/** Commits, comparisons, files at a ref, and errors in CODEOWNERS. */
import { diffFiles } from '../git/diff.ts';
import { readBlob, readTree, resolveCommit, type TreeEntry } from '../git/objects.ts';
import { listCommits, mergeBase } from '../git/refs.ts';
import { listReply } from '../http/pagination.ts';
import { Refused, notFound, ok, type Reply } from '../http/reply.ts';
import { param, repoIn, type RestContext, type Route } from '../http/route.ts';
import type { Json } from '../view/common.ts';
import { commitView, fileView } from '../view/commit-view.ts';
import { repoApiUrl, repoPageUrl } from '../view/repository-view.ts';

const MAX_COMPARED_FILES = 300;
const MAX_INLINE_BYTES = 1024 * 1024;
const CODEOWNERS_PATHS = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'];

async function commitAt(context: RestContext, name: string | undefined): Promise<string> {
  const repo = repoIn(context);
  const sha = await resolveCommit(repo.gitDir, name ?? repo.defaultBranch);
  if (sha === null) throw notFound();
  return sha;
}

function entryView(context: RestContext, entry: TreeEntry, path: string, ref: string): Json {
  const repo = repoIn(context);
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const url = `${repoApiUrl(context.state, repo)}/contents/${encoded}?ref=${encodeURIComponent(ref)}`;
  const kind = entry.type === 'tree' ? 'trees' : 'blobs';
  const git = `${repoApiUrl(context.state, repo)}/git/${kind}/${entry.sha}`;
  const html = `${repoPageUrl(context.state, repo)}/${entry.type === 'tree' ? 'tree' : 'blob'}/${ref}/${encoded}`;
  const types = {
    blob: entry.mode === '120000' ? 'symlink' : 'file',
    tree: 'dir',
    commit: 'submodule',
  } as const;
  return {
    type: types[entry.type],
    name: path.split('/').at(-1),
    path,
    sha: entry.sha,
    size: entry.size ?? 0,
    url,
    html_url: html,
    git_url: git,
    download_url:
      entry.type === 'blob' ? `${repoPageUrl(context.state, repo)}/raw/${ref}/${encoded}` : null,
    _links: { self: url, git, html },
  };
}

async function getContents(context: RestContext): Promise<Reply> {
  const repo = repoIn(context);
  const path = param(context, 'path').replace(/^\/|\/$/g, '');
  const ref = context.request.query['ref'] ?? repo.defaultBranch;
  const sha = await resolveCommit(repo.gitDir, ref);
  if (sha === null) throw new Refused(404, `No commit found for the ref ${ref}`);
  const entries = await readTree(repo.gitDir, sha, true);
  const entry = entries.find((one) => one.path === path);
  if (!entry) throw notFound();
  if (entry.type === 'tree') {
    const children = entries.filter(
      (one) => one.path.startsWith(`${path}/`) && !one.path.slice(path.length + 1).includes('/'),
    );
    return ok(children.map((one) => entryView(context, one, one.path, ref)));
  }
  const view = entryView(context, entry, path, ref);
  if (entry.type === 'commit') return ok({ ...view, submodule_git_url: null });
  const content = await readBlob(repo.gitDir, entry.sha);
  if (entry.mode === '120000') return ok({ ...view, target: content.toString('utf8') });
  const inline = content.length <= MAX_INLINE_BYTES;
  return ok({
    ...view,
    content: inline ? `${content.toString('base64').replaceAll(/(.{60})/g, '$1\n')}\n` : '',
    encoding: inline ? 'base64' : 'none',
  });
}

async function compare(context: RestContext): Promise<Reply> {
  const { state } = context;
  const repo = repoIn(context);
  const [from = '', to = ''] = param(context, 'basehead').split('...');
  const base = await commitAt(context, from);
  const head = await commitAt(context, to);
  const common = await mergeBase(repo.gitDir, base, head);
  if (common === null) throw new Refused(404, `No common ancestor between ${from} and ${to}.`);
  const ahead = await listCommits(repo.gitDir, base, head);
  const behind = await listCommits(repo.gitDir, head, base);
  const files = await diffFiles(repo.gitDir, common, head);
  const status =
    ahead.length > 0
      ? behind.length > 0
        ? 'diverged'
        : 'ahead'
      : behind.length > 0
        ? 'behind'
        : 'identical';
  const page = `${repoPageUrl(state, repo)}/compare/${from}...${to}`;
  return ok({
    url: `${repoApiUrl(state, repo)}/compare/${from}...${to}`,
    html_url: page,
    permalink_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    base_commit: await commitView(state, repo, base),
    merge_base_commit: await commitView(state, repo, common),
    status,
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    commits: await Promise.all(ahead.slice(-250).map((sha) => commitView(state, repo, sha))),
    files: files.slice(0, MAX_COMPARED_FILES).map((file) => fileView(state, repo, head, file)),
  });
}

async function getCommit(context: RestContext): Promise<Reply> {
  const repo = repoIn(context);
  const ref = param(context, 'ref');
  const sha = await resolveCommit(repo.gitDir, ref);
  if (sha === null) throw new Refused(422, `No commit found for SHA: ${ref}`);
  const view = await commitView(context.state, repo, sha);
  const parent = (view['parents'] as { sha: string }[])[0]?.sha ?? null;
  const files = await diffFiles(repo.gitDir, parent, sha);
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  return ok({
    ...view,
    stats: { additions, deletions, total: additions + deletions },
    files: files
      .slice(0, MAX_COMPARED_FILES)
      .map((file) => fileView(context.state, repo, sha, file)),
  });
}

const READ = [{ contents: 'read' }] as const;

export const CONTENT_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/contents/{path}',
    auth: 'token',
    needs: READ,
    handle: getContents,
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/compare/{basehead}',
    auth: 'token',
    needs: READ,
    handle: compare,
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/commits/{ref}',
    auth: 'token',
    needs: READ,
    handle: getCommit,
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/commits',
    auth: 'token',
    needs: READ,
    handle: async (context) => {
      const repo = repoIn(context);
      const commits = await listCommits(
        repo.gitDir,
        null,
        await commitAt(context, context.request.query['sha']),
      );
      return listReply(context, commits.toReversed(), (sha) =>
        commitView(context.state, repo, sha),
      );
    },
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/codeowners/errors',
    auth: 'token',
    needs: READ,
    handle: async (context) => {
      const repo = repoIn(context);
      const entries = await readTree(
        repo.gitDir,
        await commitAt(context, context.request.query['ref']),
        true,
      );
      if (!entries.some((entry) => CODEOWNERS_PATHS.includes(entry.path))) throw notFound();
      return ok({ errors: repo.codeownersErrors });
    },
  },
];
