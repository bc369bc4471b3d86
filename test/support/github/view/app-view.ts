/** The App, its installations and its tokens as GitHub shows them. */
import { reposOf, userById, type State } from '../state/state.ts';
import type { Installation, Token } from '../state/types.ts';
import { apiUrl, nodeId, timestamp, timestampOrNull, type Json } from './common.ts';
import { repositoryView } from './repository-view.ts';
import { userView, userViewOrNull } from './user-view.ts';

const EVENTS = ['issue_comment', 'issues', 'pull_request', 'push'];

export function appView(state: State): Json {
  const { app } = state;
  return {
    id: app.id,
    slug: app.slug,
    client_id: `Iv23li${app.id}`,
    node_id: nodeId('App', app.id),
    owner: userView(state, userById(state, app.ownerId)),
    name: app.slug,
    description: '',
    external_url: `${state.url}/`,
    html_url: `${state.url}/apps/${app.slug}`,
    created_at: timestamp(app.createdAt),
    updated_at: timestamp(app.createdAt),
    permissions: app.permissions,
    events: EVENTS,
  };
}

export function installationView(state: State, installation: Installation): Json {
  const account = userById(state, installation.accountId);
  return {
    id: installation.id,
    client_id: `Iv23li${state.app.id}`,
    account: userView(state, account),
    repository_selection: installation.repositoryIds === null ? 'all' : 'selected',
    access_tokens_url: `${apiUrl(state)}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${apiUrl(state)}/installation/repositories`,
    html_url: `${state.url}/settings/installations/${installation.id}`,
    app_id: state.app.id,
    app_slug: state.app.slug,
    target_id: account.id,
    target_type: account.type === 'Organization' ? 'Organization' : 'User',
    permissions: installation.permissions,
    events: installation.events,
    created_at: timestamp(installation.createdAt),
    updated_at: timestamp(installation.createdAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: userViewOrNull(
      state,
      installation.suspendedAt === null ? null : installation.accountId,
    ),
    suspended_at: timestampOrNull(installation.suspendedAt),
  };
}

export function tokenView(state: State, installation: Installation, token: Token): Json {
  const chosen = token.repositoryIds;
  const narrowed =
    chosen === null
      ? {}
      : {
          repositories: reposOf(state, installation)
            .filter((repo) => chosen.includes(repo.id))
            .map((repo) => repositoryView(state, repo)),
        };
  return {
    token: token.value,
    expires_at: timestamp(token.expiresAt),
    permissions: token.permissions,
    repository_selection:
      chosen === null && installation.repositoryIds === null ? 'all' : 'selected',
    ...narrowed,
  };
}
