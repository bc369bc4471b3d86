/** What the App itself asks: who it is, where it is installed, and for tokens. */
import { mintToken } from '../app/tokens.ts';
import { listReply } from '../http/pagination.ts';
import { NO_CONTENT, Refused, created, notFound, ok } from '../http/reply.ts';
import { param, repoIn, type RestContext, type Route } from '../http/route.ts';
import { installationFor, reposOf } from '../state/state.ts';
import type { Installation } from '../state/types.ts';
import { appView, installationView, tokenView } from '../view/app-view.ts';
import { repositoryView } from '../view/repository-view.ts';

function installationIn(context: RestContext): Installation {
  const installation = context.state.installations.get(Number(param(context, 'installation_id')));
  if (!installation || installation.deleted) throw notFound();
  return installation;
}

export const APP_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/app', auth: 'jwt', handle: ({ state }) => ok(appView(state)) },
  {
    method: 'GET',
    path: '/app/installations',
    auth: 'jwt',
    handle: (context) => {
      const living = [...context.state.installations.values()].filter((one) => !one.deleted);
      return listReply(context, living, (one) => installationView(context.state, one));
    },
  },
  {
    method: 'GET',
    path: '/app/installations/{installation_id}',
    auth: 'jwt',
    handle: (context) => ok(installationView(context.state, installationIn(context))),
  },
  {
    method: 'POST',
    path: '/app/installations/{installation_id}/access_tokens',
    auth: 'jwt',
    handle: (context) => {
      const installation = installationIn(context);
      const token = mintToken(context.state, installation, context.request.body);
      return created(tokenView(context.state, installation, token));
    },
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/installation',
    auth: 'jwt',
    handle: (context) => {
      const installation = installationFor(context.state, repoIn(context));
      if (!installation) throw notFound();
      return ok(installationView(context.state, installation));
    },
  },
  {
    method: 'DELETE',
    path: '/installation/token',
    auth: 'token',
    handle: ({ state, actor }) => {
      if (actor.kind === 'token') actor.token.revokedAt = state.now();
      return NO_CONTENT;
    },
  },
  {
    method: 'GET',
    path: '/installation/repositories',
    auth: 'token',
    needs: [{ metadata: 'read' }],
    handle: ({ state, actor }) => {
      if (actor.kind !== 'token') throw new Refused(401, 'Requires authentication');
      const { token, installation } = actor;
      const list = reposOf(state, installation).filter(
        (repo) => token.repositoryIds?.includes(repo.id) ?? true,
      );
      return ok({
        total_count: list.length,
        repository_selection: token.repositoryIds === null ? 'all' : 'selected',
        repositories: list.map((repo) => repositoryView(state, repo)),
      });
    },
  },
];
