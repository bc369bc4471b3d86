/** Opens pull requests and keeps their heads in step with the branches that they come from. */
import { ZERO_SHA, objectType } from '../git/objects.ts';
import { copyCommit } from '../git/seed.ts';
import { git } from '../git/run-git.ts';
import { createIssue } from './issues.ts';
import { userById, type State } from './state.ts';
import type { Issue, Pull, Repo } from './types.ts';

export interface NewPull {
  readonly title: string;
  readonly body: string | null;
  readonly userId: number;
  readonly headRepo: Repo;
  readonly headRef: string;
  readonly headSha: string;
  readonly baseRef: string;
  readonly baseSha: string;
  readonly draft: boolean;
  readonly viaApp: boolean;
}

/** GitHub keeps the head of every pull request, forks included, in the base repository under `refs/pull/N/head`. */
async function keepHead(base: Repo, head: Repo, number: number, sha: string): Promise<void> {
  if ((await objectType(base.gitDir, sha)) === null)
    await copyCommit(head.gitDir, base.gitDir, sha);
  await git(base.gitDir, ['update-ref', `refs/pull/${number}/head`, sha]);
}

export async function createPull(state: State, repo: Repo, input: NewPull): Promise<Issue> {
  const pull: Pull = {
    headRepoId: input.headRepo.id,
    headLabelOwner: userById(state, input.headRepo.ownerId).login,
    headRef: input.headRef,
    headSha: input.headSha,
    baseRef: input.baseRef,
    baseSha: input.baseSha,
    draft: input.draft,
    mergedAt: null,
    autoMerge: false,
    reviews: [],
    reviewComments: [],
  };
  const issue = createIssue(state, repo, {
    title: input.title,
    body: input.body,
    userId: input.userId,
    viaApp: input.viaApp,
    pull,
  });
  await keepHead(repo, input.headRepo, issue.number, input.headSha);
  return issue;
}

/** After a branch moved: open pull requests from it follow, those of a deleted branch are closed. Gives those that moved. */
export async function followHead(
  state: State,
  moved: Repo,
  ref: string,
  sha: string,
): Promise<{ repo: Repo; issue: Issue }[]> {
  const branch = ref.replace(/^refs\/heads\//, '');
  const changed: { repo: Repo; issue: Issue }[] = [];
  for (const repo of state.repos.values()) {
    for (const issue of repo.issues.values()) {
      const { pull } = issue;
      if (
        !pull ||
        issue.state !== 'open' ||
        pull.headRepoId !== moved.id ||
        pull.headRef !== branch
      )
        continue;
      if (sha === ZERO_SHA) {
        issue.state = 'closed';
        issue.closedAt = state.now();
      } else {
        pull.headSha = sha;
        await keepHead(repo, moved, issue.number, sha);
      }
      issue.updatedAt = state.now();
      changed.push({ repo, issue });
    }
  }
  return changed;
}
