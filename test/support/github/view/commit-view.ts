/** Commits and changed files as GitHub shows them, once for the commits API and once for the Git Data API. */
import { readCommit, type CommitObject, type Person } from '../git/objects.ts';
import type { FileDiff } from '../git/diff.ts';
import type { State } from '../state/state.ts';
import type { Repo } from '../state/types.ts';
import { nodeId, timestamp, type Json } from './common.ts';
import { repoApiUrl, repoPageUrl } from './repository-view.ts';

function personView(person: Person): Json {
  return { name: person.name, email: person.email, date: timestamp(person.date) };
}

function verificationView(repo: Repo, commit: CommitObject): Json {
  const verified = repo.signed.has(commit.sha);
  const reason = verified ? 'valid' : commit.signature === null ? 'unsigned' : 'unknown_key';
  return {
    verified,
    reason,
    signature: commit.signature,
    payload: commit.signature === null ? null : `tree ${commit.tree}\n`,
    verified_at: verified ? timestamp(commit.committer.date) : null,
  };
}

export function gitCommitView(state: State, repo: Repo, commit: CommitObject): Json {
  const api = repoApiUrl(state, repo);
  const page = repoPageUrl(state, repo);
  return {
    sha: commit.sha,
    node_id: nodeId('Commit', commit.sha),
    url: `${api}/git/commits/${commit.sha}`,
    html_url: `${page}/commit/${commit.sha}`,
    author: personView(commit.author),
    committer: personView(commit.committer),
    tree: { sha: commit.tree, url: `${api}/git/trees/${commit.tree}` },
    message: commit.message,
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${api}/git/commits/${sha}`,
      html_url: `${page}/commit/${sha}`,
    })),
    verification: verificationView(repo, commit),
  };
}

export async function commitView(state: State, repo: Repo, sha: string): Promise<Json> {
  const commit = await readCommit(repo.gitDir, sha);
  const api = repoApiUrl(state, repo);
  const page = repoPageUrl(state, repo);
  return {
    sha,
    node_id: nodeId('Commit', sha),
    commit: {
      author: personView(commit.author),
      committer: personView(commit.committer),
      message: commit.message,
      tree: { sha: commit.tree, url: `${api}/git/trees/${commit.tree}` },
      url: `${api}/git/commits/${sha}`,
      comment_count: 0,
      verification: verificationView(repo, commit),
    },
    url: `${api}/commits/${sha}`,
    html_url: `${page}/commit/${sha}`,
    comments_url: `${api}/commits/${sha}/comments`,
    author: null,
    committer: null,
    parents: commit.parents.map((parent) => ({
      sha: parent,
      url: `${api}/commits/${parent}`,
      html_url: `${page}/commit/${parent}`,
    })),
  };
}

export function fileView(state: State, repo: Repo, sha: string, file: FileDiff): Json {
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  return {
    sha: file.sha,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${repoPageUrl(state, repo)}/blob/${sha}/${path}`,
    raw_url: `${repoPageUrl(state, repo)}/raw/${sha}/${path}`,
    contents_url: `${repoApiUrl(state, repo)}/contents/${path}?ref=${sha}`,
    ...(file.patch === null ? {} : { patch: file.patch }),
    ...(file.previousPath === null ? {} : { previous_filename: file.previousPath }),
  };
}
