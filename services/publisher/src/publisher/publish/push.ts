/**
 * Puts the judged tree on the ticket's branch as one commit on the start commit. Safe to repeat: the commit is the same each
 * time, and a branch that already holds the judged tree on the start commit is taken for ours, whoever saw the reply.
 */
import { mkdir } from 'node:fs/promises';
import { buildCommit } from '@sallyport/git/build-commit';
import { withMirroredCommit } from '@sallyport/git/fetch-source';
import type { PushOutcome } from '@sallyport/git/push-outcome';
import { pushRef } from '@sallyport/git/push-ref';
import { ARTIFACT_KINDS } from '@sallyport/shared/artifacts/kinds';
import { readArtifact } from '@sallyport/shared/artifacts/store';
import { crashPoint } from '@sallyport/shared/crash-point';
import { AppError } from '@sallyport/shared/errors';
import { readCommit, readRef } from '../github/read-ref.ts';
import type { TokenGrant } from '../github/token.ts';
import { commitMessage } from '../pull-text.ts';
import { mirrorRequest, scratchDirectory } from '../source-pack.ts';
import { assertMayAct, withCaseToken, type Case } from './case.ts';
import { inspectBase } from './inspect-base.ts';
import type { Judged } from './judge.ts';
import { hold, type Stop } from './stop.ts';

export interface Pushed {
  headSha: string;
  /** True when the branch was there from an earlier attempt. */
  adopted: boolean;
}

/** @throws AppError `transient` when it is not known what became of the push: look again. */
export async function pushBranch(one: Case, judged: Judged): Promise<Pushed | Stop> {
  const { context, claims } = one;
  await assertMayAct(one);
  const pack = await readArtifact(
    context.db,
    judged.packArtifactId,
    ARTIFACT_KINDS.clean_pack.maxBytes,
  );
  return withCaseToken(one, 'push', async (grant) => {
    if (grant.repository.archived)
      return hold('repository_archived', 'The repository is archived.');
    const found = await readRef(grant, `heads/${claims.branch}`);
    if (found !== null) return checkRemote(grant, one, judged, { headSha: found, adopted: true });
    const done = await buildAndPush(one, grant, judged, pack).catch((error: unknown) =>
      stopOnAnotherChange(one, error),
    );
    if ('decision' in done) return done;
    crashPoint('publisher:pushed_not_recorded');
    return settlePush(grant, one, judged, done.outcome, done.commit);
  });
}

/** An importer that says one thing and hands over another has been taken over, or is broken: somebody must look at it. */
function stopOnAnotherChange({ context, task }: Case, error: unknown): Stop {
  if (!(error instanceof AppError) || error.detail['why'] !== 'not_as_judged') throw error;
  context.log.error({ err: error, taskId: task.id }, 'what was imported is not what was judged');
  return {
    decision: 'reject',
    reason: 'not_as_judged',
    message: 'What would be pushed is not what was judged.',
  };
}

async function buildAndPush(
  one: Case,
  grant: TokenGrant,
  judged: Judged,
  cleanPack: Buffer,
): Promise<{ outcome: PushOutcome; commit: string } | Stop> {
  const { context, claims, run } = one;
  const bot = await context.bot(grant.octokit);
  const workDir = scratchDirectory(context.stateDir);
  await mkdir(workDir, { recursive: true, mode: 0o700 });
  const mirror = mirrorRequest(context, grant, claims.start.sha);
  return withMirroredCommit(mirror, async ({ gitDir, shallow }) => {
    const built = await buildCommit({
      workDir,
      baseGitDir: gitDir,
      shallow,
      cleanPack,
      tree: judged.tree,
      base: claims.start.sha,
      changes: judged.changes,
      identity: { name: bot.login, email: bot.email },
      message: commitMessage({
        issueNumber: claims.subject.number,
        team: claims.team.name,
        taskId: claims.task_id,
      }),
      // A run is collected once: its date makes the same commit on each attempt and each host.
      date: run.movedAt,
      isolation: context.isolation,
    });
    try {
      // Fetching and packing took their time, in which a rule can be taken away.
      const { stop } = await inspectBase(one, judged.changedPaths);
      if (stop !== null) return stop;
      await assertMayAct(one);
      crashPoint('publisher:before_push');
      const outcome = await pushRef({
        gitDir: built.gitDir,
        borrowsFrom: built.borrowsFrom,
        commit: built.commit,
        ref: `refs/heads/${claims.branch}`,
        expectedOld: null,
        remote: mirror.remote,
        token: grant.token,
        isolation: context.isolation,
      });
      return { outcome, commit: built.commit };
    } finally {
      await built.remove();
    }
  });
}

async function settlePush(
  grant: TokenGrant,
  one: Case,
  judged: Judged,
  outcome: PushOutcome,
  commit: string,
): Promise<Pushed | Stop> {
  switch (outcome.outcome) {
    case 'pushed':
      return checkRemote(grant, one, judged, { headSha: commit, adopted: false });
    case 'exists':
    case 'unknown': {
      const found = await readRef(grant, `heads/${one.claims.branch}`);
      if (found !== null) return checkRemote(grant, one, judged, { headSha: found, adopted: true });
      throw new AppError('transient', 'the push ended without an answer and without a branch', {
        detail: { outcome: outcome.outcome, git: outcome.message },
      });
    }
    case 'refused':
      if (outcome.code === 'authentication') {
        throw new AppError('transient', 'GitHub did not accept a fresh token for a push');
      }
      return hold(`push_refused_${outcome.code}`, PUSH_REFUSALS[outcome.code]);
    default:
      throw new AppError('internal', 'a push with no known outcome');
  }
}

const PUSH_REFUSALS = {
  workflow_permission: 'GitHub refused the push: the App may not change workflow files.',
  protected: 'GitHub refused the push: a rule of the repository covers the branch.',
  forbidden: 'GitHub refused the push: the App may not write to the repository.',
  not_found: 'GitHub refused the push: it knows no such repository.',
  other: 'GitHub refused the push.',
} as const;

/** What is on the branch must be what was judged, on the start commit and nothing else. */
async function checkRemote(
  grant: TokenGrant,
  one: Case,
  judged: Judged,
  pushed: Pushed,
): Promise<Pushed | Stop> {
  const remote = await readCommit(grant, pushed.headSha).catch((error: unknown) => {
    // A replica that has not heard of the push yet.
    if (error instanceof AppError && error.code === 'not_found') {
      throw new AppError('transient', 'GitHub does not show the pushed commit yet');
    }
    throw error;
  });
  const isOurs =
    remote.tree === judged.tree &&
    remote.parents.length === 1 &&
    remote.parents[0] === one.claims.start.sha;
  if (isOurs) return pushed;
  return hold('branch_taken', 'The branch of this task exists already and holds something else.');
}
