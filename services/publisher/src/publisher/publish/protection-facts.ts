/**
 * Collects what GitHub says about the protection of a base branch, call by call, each kept with its status. A call that may
 * succeed later is not a fact: it ends the collecting, and everything is asked anew.
 */
import type { Answer, ProtectionFacts } from '@sallyport/policy/protection/facts';
import { RULES_PAGE_SIZE } from '@sallyport/policy/protection/facts';
import { AppError, isRetryable } from '@sallyport/shared/errors';
import type { TokenGrant } from '../github/token.ts';

const MAX_PAGES = 10;
const MAX_RULESETS = 50;

/** @throws AppError that may pass (`transient`, `rate_limited`); every other refusal is an answer. */
export async function collectProtectionFacts(
  grant: TokenGrant,
  baseRef: string,
  appSlug: string,
): Promise<ProtectionFacts> {
  const place = { owner: grant.repository.owner, repo: grant.repository.name };
  const branch = { ...place, branch: baseRef };
  const branchRules = await readRulePages(grant, branch);
  const rulesets: Record<string, Answer> = {};
  for (const id of rulesetIds(branchRules)) {
    // oxlint-disable-next-line no-await-in-loop -- a handful, and GitHub asks not to be asked at once
    rulesets[String(id)] = await answerOf(() =>
      grant.octokit.request('GET /repos/{owner}/{repo}/rulesets/{ruleset_id}', {
        ...place,
        ruleset_id: id,
        includes_parents: true,
      }),
    );
  }
  return {
    appSlug,
    baseRef,
    branchRules,
    rulesets,
    classic: await answerOf(() =>
      grant.octokit.request('GET /repos/{owner}/{repo}/branches/{branch}/protection', branch),
    ),
    branch: await answerOf(() =>
      grant.octokit.request('GET /repos/{owner}/{repo}/branches/{branch}', branch),
    ),
    repository: await answerOf(() => grant.octokit.request('GET /repos/{owner}/{repo}', place)),
    codeownersErrors: await answerOf(() =>
      grant.octokit.request('GET /repos/{owner}/{repo}/codeowners/errors', {
        ...place,
        ref: baseRef,
      }),
    ),
    refUpdateRule: null,
  };
}

async function readRulePages(
  grant: TokenGrant,
  branch: { owner: string; repo: string; branch: string },
): Promise<ProtectionFacts['branchRules']> {
  const pages: ProtectionFacts['branchRules'] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    // oxlint-disable-next-line no-await-in-loop -- whether there is a next page stands in this one
    const answer = await answerOf(() =>
      grant.octokit.request('GET /repos/{owner}/{repo}/rules/branches/{branch}', {
        ...branch,
        per_page: RULES_PAGE_SIZE,
        page,
      }),
    );
    pages.push({ page, answer });
    const isFull =
      answer.kind === 'answered' &&
      Array.isArray(answer.body) &&
      answer.body.length === RULES_PAGE_SIZE;
    if (!isFull) break;
  }
  return pages;
}

function rulesetIds(pages: ProtectionFacts['branchRules']): number[] {
  const ids = new Set<number>();
  for (const { answer } of pages) {
    if (answer.kind !== 'answered' || !Array.isArray(answer.body)) continue;
    for (const rule of answer.body as { ruleset_id?: unknown }[]) {
      if (typeof rule?.ruleset_id === 'number') ids.add(rule.ruleset_id);
    }
  }
  return [...ids].slice(0, MAX_RULESETS);
}

async function answerOf(
  request: () => Promise<{ status: number; data: unknown }>,
): Promise<Answer> {
  try {
    const { status, data } = await request();
    return { kind: 'answered', status, body: data };
  } catch (error) {
    if (isRetryable(error) || !(error instanceof AppError)) throw error;
    const { status } = error.detail;
    if (typeof status !== 'number') return { kind: 'failed', reason: error.code };
    return { kind: 'answered', status, body: null };
  }
}
