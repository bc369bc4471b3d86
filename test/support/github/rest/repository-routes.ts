/** Repositories, the people in them, and accounts. */
import { notFound, ok } from '../http/reply.ts';
import { param, repoIn, type Route } from '../http/route.ts';
import { findUser } from '../state/state.ts';
import type { Repo, Role, User } from '../state/types.ts';
import { apiUrl } from '../view/common.ts';
import { fullRepositoryView } from '../view/repository-view.ts';
import { permissionView, publicUserView } from '../view/user-view.ts';

/** The role that counts: an owner is an administrator, and everybody may read a public repository. */
export function roleOf(repo: Repo, user: User): Role {
  if (user.id === repo.ownerId && user.type === 'User') return 'admin';
  return repo.roles.get(user.id) ?? (repo.isPrivate ? 'none' : 'read');
}

export const REPOSITORY_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}',
    auth: 'token',
    needs: [{ metadata: 'read' }],
    handle: (context) => ok(fullRepositoryView(context.state, repoIn(context))),
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/collaborators/{username}/permission',
    auth: 'token',
    needs: [{ metadata: 'read' }],
    handle: (context) => {
      const user = findUser(context.state, param(context, 'username'));
      if (!user) throw notFound();
      return ok(permissionView(context.state, user, roleOf(repoIn(context), user)));
    },
  },
  {
    method: 'GET',
    path: '/users/{username}',
    auth: 'any',
    handle: (context) => {
      const user = findUser(context.state, param(context, 'username'));
      if (!user) throw notFound();
      return ok(publicUserView(context.state, user));
    },
  },
  {
    method: 'GET',
    path: '/user/{account_id}',
    auth: 'any',
    handle: (context) => {
      const user = context.state.users.get(Number(param(context, 'account_id')));
      if (!user) throw notFound();
      return ok(publicUserView(context.state, user));
    },
  },
  {
    method: 'GET',
    path: '/meta',
    auth: 'any',
    handle: ({ state }) =>
      ok({
        verifiable_password_authentication: false,
        hooks: ['127.0.0.0/8', '::1/128'],
        web: ['127.0.0.0/8'],
        api: ['127.0.0.0/8'],
        git: ['127.0.0.0/8'],
        domains: { website: [new URL(apiUrl(state)).host] },
      }),
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/topics',
    auth: 'token',
    needs: [{ metadata: 'read' }],
    handle: () => ok({ names: [] }),
  },
];
