/**
 * Opens the draft pull request, once: looked for by its head before, and again after every attempt whose reply was lost or
 * said that there is one already.
 */
import { crashPoint } from '@sallyport/shared/crash-point';
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import { z } from 'zod';
import { readReply } from '../github/reply.ts';
import type { TokenGrant } from '../github/token.ts';
import { pullBody, pullTitle, type PullFacts } from '../pull-text.ts';
import { assertMayAct, withCaseToken, type Case } from './case.ts';
import type { Stop } from './stop.ts';

export interface OpenedPull {
  number: number;
  url: string;
  adopted: boolean;
}

const PullSchema = z.object({
  number: z.int().positive(),
  html_url: z.string(),
  state: z.string(),
  user: z.object({ id: z.int() }).nullable(),
  head: z.object({ ref: z.string(), repo: z.object({ id: z.int() }).nullable() }),
  base: z.object({ ref: z.string() }),
});

export async function openPull(one: Case, facts: PullFacts): Promise<OpenedPull | Stop> {
  await assertMayAct(one);
  return withCaseToken(one, 'open_pull', async (grant) => {
    const found = await findPull(grant, one);
    if (found !== null) return found;
    await assertMayAct(one);
    try {
      crashPoint('publisher:before_pull');
      const created = await createPull(grant, one, facts);
      crashPoint('publisher:pull_created_reply_lost');
      return created;
    } catch (error) {
      const code = errorCodeOf(error);
      if (code !== 'transient' && code !== 'bad_input' && code !== 'conflict') throw error;
      // A lost reply and "already exists" look different and mean the same if there is one now.
      const late = await findPull(grant, one);
      if (late !== null) return late;
      if (code === 'transient') throw error;
      return refusedStop(error);
    }
  });
}

/**
 * Ours from an earlier attempt, or null. From the moment of the push anybody who can read may open one from the branch,
 * with any text; that one is not adopted, and while it is open GitHub takes no second.
 */
async function findPull(
  grant: TokenGrant,
  { context, claims }: Case,
): Promise<OpenedPull | Stop | null> {
  const bot = await context.bot(grant.octokit);
  const { owner, name: repo } = grant.repository;
  const reply = await grant.octokit.request('GET /repos/{owner}/{repo}/pulls', {
    owner,
    repo,
    head: `${owner}:${claims.branch}`,
    base: claims.base.ref,
    state: 'all',
    per_page: 100,
  });
  const pulls = readReply(z.array(PullSchema), reply, 'listing pull requests').filter(
    (pull) =>
      // Every pull request comes back when GitHub does not understand the head that it was asked for.
      pull.head.ref === claims.branch &&
      pull.head.repo?.id === grant.repository.id &&
      pull.base.ref === claims.base.ref,
  );
  const own = pulls.filter(({ user }) => user?.id === bot.id);
  const pull = own.find(({ state }) => state === 'open') ?? own[0];
  if (pull !== undefined) return { number: pull.number, url: pull.html_url, adopted: true };
  const foreign = pulls.find(({ state }) => state === 'open');
  return foreign === undefined ? null : pullTaken(foreign.number);
}

async function createPull(
  grant: TokenGrant,
  { claims }: Case,
  facts: PullFacts,
): Promise<OpenedPull> {
  const reply = await grant.octokit.request('POST /repos/{owner}/{repo}/pulls', {
    owner: grant.repository.owner,
    repo: grant.repository.name,
    title: pullTitle(facts),
    body: pullBody(facts),
    head: claims.branch,
    base: claims.base.ref,
    draft: true,
  });
  const pull = readReply(PullSchema, reply, 'opening a pull request', 201);
  return { number: pull.number, url: pull.html_url, adopted: false };
}

function pullTaken(number: number): Stop {
  return {
    decision: 'hold',
    reason: 'pull_taken',
    message: `Somebody else has opened a pull request from the branch of this task: number ${number}.`,
  };
}

function refusedStop(error: unknown): Stop {
  const reasons = error instanceof AppError ? error.detail['reasons'] : [];
  const shown = Array.isArray(reasons) && reasons.length > 0 ? ` (${reasons.join(', ')})` : '';
  return {
    decision: 'hold',
    reason: 'pull_refused',
    message: `GitHub refused to open the pull request${shown}.`,
  };
}
