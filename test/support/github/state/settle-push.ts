/** What follows when refs moved, whichever way: the push is recorded, pull requests follow, GitHub tells the hooks. */
import { ZERO_SHA } from '../git/objects.ts';
import { followHead } from './pulls.ts';
import { fullNameOf, userById, type State } from './state.ts';
import type { Permissions, Push, Repo } from './types.ts';

export interface SettledPush {
  readonly repo: Repo;
  readonly via: 'git' | 'rest';
  readonly tokenId: number | null;
  readonly permissions: Permissions;
  readonly commands: Push['commands'];
  readonly refusal: string | null;
  readonly echo: (
    event: string,
    action: string | null,
    subject: { repo: Repo; fields: Record<string, unknown> },
  ) => void;
}

export async function settlePush(state: State, push: SettledPush): Promise<void> {
  const { repo, echo, ...facts } = push;
  state.pushes.push({
    at: state.now(),
    repoId: repo.id,
    fullName: fullNameOf(state, repo),
    ...facts,
  });
  for (const { ref, before, after, ok } of push.commands) {
    if (!ok) continue;
    repo.pushedAt = state.now();
    const fields = {
      ref,
      before,
      after,
      created: before === ZERO_SHA,
      deleted: after === ZERO_SHA,
      forced: false,
    };
    echo('push', null, {
      repo,
      fields: {
        ...fields,
        commits: [],
        head_commit: null,
        base_ref: null,
        compare: `${state.url}/${fullNameOf(state, repo)}/compare/${before}...${after}`,
        pusher: { name: userById(state, state.app.botId).login },
      },
    });
    if (ref.startsWith('refs/heads/')) await followHead(state, repo, ref, after);
  }
}
