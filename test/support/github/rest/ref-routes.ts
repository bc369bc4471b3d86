/** Refs over the Git Data API: the second way to publish, bound by the same rules as a git push. */
import { ZERO_SHA, objectType } from '../git/objects.ts';
import { judgeUpdate, type Refusal, type RefUpdate } from '../git/push-policy.ts';
import { isAncestor, isValidRef, listRefs, moveRef, readRef, type Ref } from '../git/refs.ts';
import { NO_CONTENT, Refused, created, notFound, ok } from '../http/reply.ts';
import {
  param,
  repoIn,
  textIn,
  tokenPermissions,
  type RestContext,
  type Route,
} from '../http/route.ts';
import { listReply } from '../http/pagination.ts';
import { settlePush } from '../state/settle-push.ts';
import { nodeId, type Json } from '../view/common.ts';
import { repoApiUrl } from '../view/repository-view.ts';

function refView(context: RestContext, ref: Ref): Json {
  const api = repoApiUrl(context.state, repoIn(context));
  const kind = ref.type === 'tag' ? 'tags' : 'commits';
  return {
    ref: ref.ref,
    node_id: nodeId('Ref', ref.ref),
    url: `${api}/git/${ref.ref}`,
    object: { sha: ref.sha, type: ref.type, url: `${api}/git/${kind}/${ref.sha}` },
  };
}

function refusalReply(refusal: Refusal): Refused {
  const text = refusal.lines.join('\n').trim();
  if (refusal.kind === 'workflow') return new Refused(403, text);
  return new Refused(
    422,
    refusal.kind === 'rules' ? `Repository rule violations found\n\n${text}` : text,
  );
}

/** Judges, moves and records, or throws GitHub's refusal. `clash` words what it means when the ref was not where it should be. */
async function applyUpdate(context: RestContext, update: RefUpdate, clash: string): Promise<void> {
  const { state, actor } = context;
  const repo = repoIn(context);
  const permissions = tokenPermissions(actor);
  const refusal = await judgeUpdate({ state, repo, permissions, env: {} }, update);
  const moved =
    refusal === null && (await moveRef(repo.gitDir, update.ref, update.before, update.after));
  await settlePush(state, {
    repo,
    via: 'rest',
    tokenId: actor.kind === 'token' ? actor.token.id : null,
    permissions,
    commands: [{ ...update, ok: moved }],
    refusal: refusal === null ? null : refusal.lines.join('\n'),
    echo: context.echo,
  });
  if (refusal) throw refusalReply(refusal);
  if (!moved) throw new Refused(422, clash);
}

async function createRef(context: RestContext): Promise<ReturnType<typeof ok>> {
  const repo = repoIn(context);
  const [ref = '', sha = ''] = [textIn(context, 'ref'), textIn(context, 'sha')];
  if (!/^refs\/[^/]+\/.+/.test(ref))
    throw new Refused(
      422,
      "Reference name must start with 'refs/' and contain at least two slashes.",
    );
  if (!(await isValidRef(repo.gitDir, ref)) || ref.startsWith('refs/pull/'))
    throw new Refused(422, `${ref} is not a valid ref name.`);
  const type = await objectType(repo.gitDir, sha);
  if (type === null) throw new Refused(422, 'Object does not exist');
  if (type !== 'commit' && ref.startsWith('refs/heads/'))
    throw new Refused(422, 'Reference update failed');
  if (await readRef(repo.gitDir, ref)) throw new Refused(422, 'Reference already exists');
  await applyUpdate(
    context,
    { ref, before: ZERO_SHA, after: sha },
    'Reference cannot be created: a name in its way exists',
  );
  return created(
    refView(context, { ref, sha, type }),
    `${repoApiUrl(context.state, repo)}/git/${ref}`,
  );
}

async function updateRef(context: RestContext): Promise<ReturnType<typeof ok>> {
  const repo = repoIn(context);
  const ref = `refs/${param(context, 'ref')}`;
  const sha = textIn(context, 'sha') ?? '';
  const current = await readRef(repo.gitDir, ref);
  if (!current) throw new Refused(422, 'Reference does not exist');
  if ((await objectType(repo.gitDir, sha)) === null)
    throw new Refused(422, 'Object does not exist');
  if (
    context.request.body['force'] !== true &&
    !(await isAncestor(repo.gitDir, current.sha, sha))
  ) {
    throw new Refused(422, 'Update is not a fast forward');
  }
  await applyUpdate(context, { ref, before: current.sha, after: sha }, 'Reference update failed');
  return ok(refView(context, { ref, sha, type: 'commit' }));
}

async function deleteRef(context: RestContext): Promise<typeof NO_CONTENT> {
  const ref = `refs/${param(context, 'ref')}`;
  const current = await readRef(repoIn(context).gitDir, ref);
  if (!current) throw new Refused(422, 'Reference does not exist');
  await applyUpdate(
    context,
    { ref, before: current.sha, after: ZERO_SHA },
    'Reference update failed',
  );
  return NO_CONTENT;
}

const READ = [{ contents: 'read' }] as const;
const WRITE = [{ contents: 'write' }] as const;

export const REF_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/git/ref/{ref}',
    auth: 'token',
    needs: READ,
    handle: async (context) => {
      const ref = await readRef(repoIn(context).gitDir, `refs/${param(context, 'ref')}`);
      if (!ref) throw notFound();
      return ok(refView(context, ref));
    },
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/git/matching-refs/{ref}',
    auth: 'token',
    needs: READ,
    handle: async (context) => {
      const refs = await listRefs(repoIn(context).gitDir, `refs/${param(context, 'ref')}`);
      return listReply(context, refs, (ref) => refView(context, ref));
    },
  },
  {
    method: 'POST',
    path: '/repos/{owner}/{repo}/git/refs',
    auth: 'token',
    needs: WRITE,
    handle: createRef,
  },
  {
    method: 'PATCH',
    path: '/repos/{owner}/{repo}/git/refs/{ref}',
    auth: 'token',
    needs: WRITE,
    handle: updateRef,
  },
  {
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/git/refs/{ref}',
    auth: 'token',
    needs: WRITE,
    handle: deleteRef,
  },
];
