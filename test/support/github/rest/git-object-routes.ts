/** Commits, trees and blobs over the Git Data API, made in the bare repository itself. */
import {
  objectType,
  readBlob,
  readCommit,
  readTree,
  writeBlob,
  writeCommit,
  writeTree,
  type Person,
  type TreeChange,
} from '../git/objects.ts';
import { tryGit } from '../git/run-git.ts';
import { Refused, created, notFound, ok, type Reply } from '../http/reply.ts';
import { param, repoIn, textIn, type RestContext, type Route } from '../http/route.ts';
import { userById } from '../state/state.ts';
import { nodeId, type Json } from '../view/common.ts';
import { gitCommitView } from '../view/commit-view.ts';
import { repoApiUrl } from '../view/repository-view.ts';

/** Stands for GitHub's own signature on what an App commits without naming an author. */
const SIGNATURE = '-----BEGIN PGP SIGNATURE-----\n\nc3RhbmQtaW4=\n-----END PGP SIGNATURE-----';

async function wantType(
  context: RestContext,
  sha: string,
  type: string,
  status = 404,
  message = 'Not Found',
): Promise<string> {
  if ((await objectType(repoIn(context).gitDir, sha)) !== type) throw new Refused(status, message);
  return sha;
}

async function treeView(context: RestContext, sha: string, recursive: boolean): Promise<Json> {
  const api = repoApiUrl(context.state, repoIn(context));
  const entries = await readTree(repoIn(context).gitDir, sha, recursive);
  return {
    sha,
    url: `${api}/git/trees/${sha}`,
    tree: entries.map(({ size, ...entry }) => ({
      ...entry,
      ...(size === null ? {} : { size }),
      url: `${api}/git/${entry.type === 'tree' ? 'trees' : 'blobs'}/${entry.sha}`,
    })),
    truncated: false,
  };
}

async function getTree(context: RestContext): Promise<Reply> {
  const asked = param(context, 'tree_sha');
  const found = await tryGit(repoIn(context).gitDir, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${asked}^{tree}`,
  ]);
  if (found.code !== 0) throw notFound();
  return ok(
    await treeView(
      context,
      found.stdout.toString('utf8').trim(),
      context.request.query['recursive'] !== undefined,
    ),
  );
}

async function postTree(context: RestContext): Promise<Reply> {
  const { gitDir } = repoIn(context);
  const baseTree = textIn(context, 'base_tree');
  const base =
    baseTree === undefined
      ? null
      : await tryGit(gitDir, ['rev-parse', '--verify', '--quiet', `${baseTree}^{tree}`]);
  if (base && base.code !== 0) throw new Refused(422, 'base_tree is not a valid tree oid');
  const given = context.request.body['tree'];
  const changes: TreeChange[] = [];
  for (const entry of (Array.isArray(given) ? given : []) as Json[]) {
    const content =
      typeof entry['content'] === 'string'
        ? await writeBlob(gitDir, Buffer.from(entry['content']))
        : null;
    const sha = content ?? (typeof entry['sha'] === 'string' ? entry['sha'] : null);
    const isGitlink = entry['mode'] === '160000';
    if (sha !== null && !isGitlink && (await objectType(gitDir, sha)) === null)
      throw new Refused(422, `tree.sha ${sha} is not a valid object`);
    changes.push({ path: String(entry['path']), mode: String(entry['mode'] ?? '100644'), sha });
  }
  if (
    changes.some(
      ({ path }) =>
        path === '' ||
        path.split('/').some((part) => ['', '.', '..', '.git'].includes(part.toLowerCase())),
    )
  ) {
    throw new Refused(422, 'tree.path contains a malformed path component');
  }
  const sha = await writeTree(gitDir, base ? base.stdout.toString('utf8').trim() : null, changes);
  const view = await treeView(context, sha, false);
  return created(view, String(view['url']));
}

function personIn(context: RestContext, name: string, otherwise: Person): Person {
  const given = context.request.body[name] as Json | undefined;
  if (!given) return otherwise;
  const date = typeof given['date'] === 'string' ? new Date(given['date']) : context.state.now();
  return {
    name: String(given['name'] ?? otherwise.name),
    email: String(given['email'] ?? otherwise.email),
    date,
  };
}

async function postCommit(context: RestContext): Promise<Reply> {
  const { state, request } = context;
  const repo = repoIn(context);
  const parents = (Array.isArray(request.body['parents']) ? request.body['parents'] : []).map(
    String,
  );
  await wantType(context, textIn(context, 'tree') ?? '', 'tree', 422, 'Tree SHA does not exist');
  for (const parent of parents)
    await wantType(
      context,
      parent,
      'commit',
      422,
      `Parent SHA does not exist or is not a commit object`,
    );
  const bot = userById(state, state.app.botId);
  const self: Person = {
    name: bot.login,
    email: `${bot.id}+${bot.login}@users.noreply.github.com`,
    date: state.now(),
  };
  const named = request.body['author'] !== undefined || request.body['committer'] !== undefined;
  const author = personIn(context, 'author', self);
  const committer = named
    ? personIn(context, 'committer', author)
    : { name: 'GitHub', email: 'noreply@github.com', date: self.date };
  const signature = textIn(context, 'signature') ?? (named ? null : SIGNATURE);
  const message = textIn(context, 'message') ?? '';
  const sha = await writeCommit(repo.gitDir, {
    tree: textIn(context, 'tree') ?? '',
    parents,
    author,
    committer,
    message,
    signature,
  });
  if (!named) repo.signed.add(sha);
  const view = gitCommitView(state, repo, await readCommit(repo.gitDir, sha));
  return created(view, String(view['url']));
}

async function postBlob(context: RestContext): Promise<Reply> {
  const repo = repoIn(context);
  const encoding = textIn(context, 'encoding') === 'base64' ? 'base64' : 'utf8';
  const sha = await writeBlob(repo.gitDir, Buffer.from(textIn(context, 'content') ?? '', encoding));
  const url = `${repoApiUrl(context.state, repo)}/git/blobs/${sha}`;
  return created({ sha, url }, url);
}

async function getBlob(context: RestContext): Promise<Reply> {
  const repo = repoIn(context);
  const sha = await wantType(context, param(context, 'file_sha'), 'blob');
  const content = await readBlob(repo.gitDir, sha);
  return ok({
    sha,
    node_id: nodeId('Blob', sha),
    size: content.length,
    url: `${repoApiUrl(context.state, repo)}/git/blobs/${sha}`,
    content: `${content.toString('base64').replaceAll(/(.{60})/g, '$1\n')}\n`,
    encoding: 'base64',
  });
}

const READ = [{ contents: 'read' }] as const;
const WRITE = [{ contents: 'write' }] as const;
const GIT = '/repos/{owner}/{repo}/git';

export const GIT_OBJECT_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: `${GIT}/commits/{commit_sha}`,
    auth: 'token',
    needs: READ,
    handle: async (context) => {
      const repo = repoIn(context);
      const sha = await wantType(context, param(context, 'commit_sha'), 'commit');
      return ok(gitCommitView(context.state, repo, await readCommit(repo.gitDir, sha)));
    },
  },
  { method: 'POST', path: `${GIT}/commits`, auth: 'token', needs: WRITE, handle: postCommit },
  { method: 'GET', path: `${GIT}/trees/{tree_sha}`, auth: 'token', needs: READ, handle: getTree },
  { method: 'POST', path: `${GIT}/trees`, auth: 'token', needs: WRITE, handle: postTree },
  { method: 'GET', path: `${GIT}/blobs/{file_sha}`, auth: 'token', needs: READ, handle: getBlob },
  { method: 'POST', path: `${GIT}/blobs`, auth: 'token', needs: WRITE, handle: postBlob },
];
