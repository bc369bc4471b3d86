/** A repository as GitHub shows it: the same object in REST replies, pull requests and deliveries. */
import { fullNameOf, userById, type State } from '../state/state.ts';
import type { Repo } from '../state/types.ts';
import { apiUrl, nodeId, timestamp, type Json } from './common.ts';
import { userView } from './user-view.ts';

export function repoApiUrl(state: State, repo: Repo): string {
  return `${apiUrl(state)}/repos/${fullNameOf(state, repo)}`;
}

export function repoPageUrl(state: State, repo: Repo): string {
  return `${state.url}/${fullNameOf(state, repo)}`;
}

function links(api: string): Json {
  return {
    url: api,
    archive_url: `${api}/{archive_format}{/ref}`,
    assignees_url: `${api}/assignees{/user}`,
    blobs_url: `${api}/git/blobs{/sha}`,
    branches_url: `${api}/branches{/branch}`,
    collaborators_url: `${api}/collaborators{/collaborator}`,
    comments_url: `${api}/comments{/number}`,
    commits_url: `${api}/commits{/sha}`,
    compare_url: `${api}/compare/{base}...{head}`,
    contents_url: `${api}/contents/{+path}`,
    contributors_url: `${api}/contributors`,
    deployments_url: `${api}/deployments`,
    downloads_url: `${api}/downloads`,
    events_url: `${api}/events`,
    forks_url: `${api}/forks`,
    git_commits_url: `${api}/git/commits{/sha}`,
    git_refs_url: `${api}/git/refs{/sha}`,
    git_tags_url: `${api}/git/tags{/sha}`,
    hooks_url: `${api}/hooks`,
    issue_comment_url: `${api}/issues/comments{/number}`,
    issue_events_url: `${api}/issues/events{/number}`,
    issues_url: `${api}/issues{/number}`,
    keys_url: `${api}/keys{/key_id}`,
    labels_url: `${api}/labels{/name}`,
    languages_url: `${api}/languages`,
    merges_url: `${api}/merges`,
    milestones_url: `${api}/milestones{/number}`,
    notifications_url: `${api}/notifications{?since,all,participating}`,
    pulls_url: `${api}/pulls{/number}`,
    releases_url: `${api}/releases{/id}`,
    stargazers_url: `${api}/stargazers`,
    statuses_url: `${api}/statuses/{sha}`,
    subscribers_url: `${api}/subscribers`,
    subscription_url: `${api}/subscription`,
    tags_url: `${api}/tags`,
    teams_url: `${api}/teams`,
    trees_url: `${api}/git/trees{/sha}`,
  };
}

export function repositoryView(state: State, repo: Repo): Json {
  const page = repoPageUrl(state, repo);
  const open = [...repo.issues.values()].filter((issue) => issue.state === 'open').length;
  return {
    id: repo.id,
    node_id: nodeId('Repository', repo.id),
    name: repo.name,
    full_name: fullNameOf(state, repo),
    private: repo.isPrivate,
    owner: userView(state, userById(state, repo.ownerId)),
    html_url: page,
    description: repo.description,
    fork: repo.forkOf !== null,
    ...links(repoApiUrl(state, repo)),
    created_at: timestamp(repo.createdAt),
    updated_at: timestamp(repo.createdAt),
    pushed_at: timestamp(repo.pushedAt),
    git_url: `${page.replace(/^http/, 'git')}.git`,
    ssh_url: `git@127.0.0.1:${fullNameOf(state, repo)}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    mirror_url: null,
    homepage: null,
    size: 1,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: true,
    has_projects: true,
    has_downloads: true,
    has_wiki: true,
    has_pages: false,
    has_discussions: false,
    forks_count: 0,
    archived: repo.archived,
    disabled: false,
    open_issues_count: open,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    visibility: repo.isPrivate ? 'private' : 'public',
    forks: 0,
    open_issues: open,
    watchers: 0,
    default_branch: repo.defaultBranch,
  };
}

/** What `GET /repos/{owner}/{repo}` adds for one repository asked for by itself. */
export function fullRepositoryView(state: State, repo: Repo): Json {
  const parent = repo.forkOf === null ? undefined : state.repos.get(repo.forkOf);
  const ancestry = parent
    ? { parent: repositoryView(state, parent), source: repositoryView(state, parent) }
    : {};
  return {
    ...repositoryView(state, repo),
    ...ancestry,
    permissions: { admin: false, maintain: false, push: false, triage: false, pull: false },
    temp_clone_token: '',
    allow_squash_merge: true,
    allow_merge_commit: true,
    allow_rebase_merge: true,
    allow_auto_merge: true,
    delete_branch_on_merge: false,
    network_count: 0,
    subscribers_count: 0,
  };
}
