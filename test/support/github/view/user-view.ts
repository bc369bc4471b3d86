/** Accounts as GitHub shows them: short inside other objects, long on their own. */
import { userById, type State } from '../state/state.ts';
import type { Role, User } from '../state/types.ts';
import { apiUrl, nodeId, timestamp, type Json } from './common.ts';

export function userView(state: State, user: User): Json {
  const api = `${apiUrl(state)}/users/${encodeURIComponent(user.login)}`;
  const page =
    user.type === 'Bot'
      ? `${state.url}/apps/${user.login.replace('[bot]', '')}`
      : `${state.url}/${user.login}`;
  return {
    login: user.login,
    id: user.id,
    node_id: nodeId('User', user.id),
    avatar_url: `${state.url}/avatars/u/${user.id}`,
    gravatar_id: '',
    url: api,
    html_url: page,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: user.type,
    user_view_type: 'public',
    site_admin: false,
  };
}

/** null for a deleted account, which is how GitHub shows a ghost. */
export function userViewOrNull(state: State, id: number | null): Json | null {
  return id === null ? null : userView(state, userById(state, id));
}

export function publicUserView(state: State, user: User): Json {
  return {
    ...userView(state, user),
    name: null,
    company: null,
    blog: '',
    location: null,
    email: null,
    hireable: null,
    bio: null,
    twitter_username: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: timestamp(user.createdAt),
    updated_at: timestamp(user.createdAt),
  };
}

const MAPPED_PERMISSION: Readonly<Record<Role, string>> = {
  admin: 'admin',
  maintain: 'write',
  write: 'write',
  triage: 'read',
  read: 'read',
  none: 'none',
};

/** `permission` knows four words; `role_name` is the role itself. */
export function permissionView(state: State, user: User, role: Role): Json {
  const rank = ['none', 'read', 'triage', 'write', 'maintain', 'admin'].indexOf(role);
  const permissions = {
    pull: rank >= 1,
    triage: rank >= 2,
    push: rank >= 3,
    maintain: rank >= 4,
    admin: rank >= 5,
  };
  return {
    permission: MAPPED_PERMISSION[role],
    role_name: role,
    user: { ...userView(state, user), permissions, role_name: role },
  };
}
