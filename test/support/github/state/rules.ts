/** Which rules bind a ref: rulesets by their conditions, classic protection by branch name. */
import type { ClassicProtection, Repo, Rule, Ruleset } from './types.ts';

function globToPattern(glob: string): RegExp {
  const source = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('**/', '\u0000')
    .replaceAll('**', '\u0001')
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]')
    .replaceAll('\u0000', '(?:.*/)?')
    .replaceAll('\u0001', '.*');
  return new RegExp(`^${source}$`, 'u');
}

function matches(repo: Repo, condition: string, ref: string): boolean {
  if (condition === '~ALL') return true;
  if (condition === '~DEFAULT_BRANCH') return ref === `refs/heads/${repo.defaultBranch}`;
  return globToPattern(condition.startsWith('refs/') ? condition : `refs/heads/${condition}`).test(
    ref,
  );
}

/** The active rulesets that cover a full ref. */
export function rulesetsFor(repo: Repo, ref: string): Ruleset[] {
  const target = ref.startsWith('refs/tags/') ? 'tag' : 'branch';
  return [...repo.rulesets.values()].filter(
    (ruleset) =>
      ruleset.enforcement === 'active' &&
      ruleset.target === target &&
      ruleset.include.some((one) => matches(repo, one, ref)) &&
      !ruleset.exclude.some((one) => matches(repo, one, ref)),
  );
}

export function rulesFor(
  repo: Repo,
  ref: string,
): { readonly rule: Rule; readonly ruleset: Ruleset }[] {
  return rulesetsFor(repo, ref).flatMap((ruleset) =>
    ruleset.rules.map((rule) => ({ rule, ruleset })),
  );
}

/** The classic protection of a branch; its key may be a pattern such as `release/*`. */
export function classicFor(repo: Repo, branch: string): ClassicProtection | undefined {
  const exact = repo.classic.get(branch);
  if (exact) return exact;
  return [...repo.classic].find(([pattern]) => globToPattern(pattern).test(branch))?.[1];
}

/** GitHub's `protected` flag: true for any rule at all, even one that only says how branches are named. */
export function isProtected(repo: Repo, branch: string): boolean {
  return (
    classicFor(repo, branch) !== undefined || rulesFor(repo, `refs/heads/${branch}`).length > 0
  );
}
