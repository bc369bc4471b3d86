/**
 * The layer of rulesets: every active rule for the branch, counted only when its ruleset can never be bypassed by our App.
 * A page or a ruleset that is missing makes the layer unknown, since it could hold the one thing that matters.
 */
import {
  BranchRulesBody,
  PullRequestParameters,
  readAnswer,
  RulesetBody,
  StatusCheckParameters,
} from './answers.ts';
import type { BranchRule } from './answers.ts';
import { addDemands, isApp, NO_DEMANDS } from './demands.ts';
import type { Demands, Layer } from './demands.ts';
import { RULES_PAGE_SIZE } from './facts.ts';
import type { ProtectionFacts } from './facts.ts';

/** What the rulesets of the base demand of our App. */
export function readRulesets(facts: ProtectionFacts): Layer {
  const rules = readAllPages(facts);
  if (typeof rules === 'string') return { kind: 'unknown', why: rules, bypassableBy: null };
  let demands = NO_DEMANDS;
  let bypassableBy: string | null = null;
  let unknown: string | null = null;
  const notes: string[] = [];
  for (const id of new Set(rules.map((rule) => rule.ruleset_id))) {
    const own = rules.filter((rule) => rule.ruleset_id === id);
    const demandsReview = own.some((rule) => rule.type === 'pull_request');
    const bypass = readBypass(facts, id);
    const read = demandsOf(own);
    if (bypass.kind === 'unknown') {
      if (demandsReview) unknown = bypass.why;
      else notes.push(`${bypass.why}; its rules do not count`);
    } else if (bypass.can !== 'never') {
      if (demandsReview) bypassableBy = `our App may bypass the ruleset ${id} (${bypass.can})`;
      else notes.push(`our App may bypass the ruleset ${id}; its rules do not count`);
    } else if (read === null) {
      unknown = `the rules of the ruleset ${id} do not have the expected form`;
    } else {
      demands = addDemands(demands, read);
    }
  }
  return unknown === null
    ? { kind: 'read', demands, bypassableBy, notes }
    : { kind: 'unknown', why: unknown, bypassableBy };
}

/** All rules of all pages, or why they are not known. A page that is missing could hold the one rule that matters. */
function readAllPages(facts: ProtectionFacts): BranchRule[] | string {
  const pages = facts.branchRules.toSorted((left, right) => left.page - right.page);
  const rules: BranchRule[] = [];
  for (const [index, { page, answer }] of pages.entries()) {
    if (page !== index + 1) return `page ${index + 1} of the branch's rules is missing`;
    const read = readAnswer(answer, BranchRulesBody);
    if (read.kind === 'forbidden') {
      return 'GitHub does not show the rules of this branch (status 403; private repositories need a paid plan for rules)';
    }
    if (read.kind === 'absent') return 'GitHub answered 404 for the rules of this branch';
    if (read.kind === 'unreadable') return `the branch's rules could not be read: ${read.why}`;
    const isLast = index === pages.length - 1;
    const isFull = read.body.length >= RULES_PAGE_SIZE;
    if (isLast === isFull)
      return isLast
        ? 'the last page of rules is missing'
        : 'the pages of rules do not fit together';
    rules.push(...read.body);
  }
  return pages.length === 0 ? "the branch's rules were not asked for" : rules;
}

function readBypass(
  facts: ProtectionFacts,
  id: number,
): { kind: 'known'; can: string } | { kind: 'unknown'; why: string } {
  const unknown = (what: string) => ({
    kind: 'unknown' as const,
    why: `${what} the ruleset ${id}`,
  });
  const answer = facts.rulesets[String(id)];
  if (answer === undefined) return unknown('nobody asked for');
  const read = readAnswer(answer, RulesetBody);
  if (read.kind !== 'body') return unknown('GitHub does not show');
  // The branch lists active rules only, so another state means that the ruleset changed in between.
  if (read.body.enforcement !== 'active') return unknown('the branch lists rules of the inactive');
  const can = read.body.current_user_can_bypass;
  return can === undefined
    ? unknown('it is not known whether our App may bypass')
    : { kind: 'known', can };
}

function demandsOf(rules: readonly BranchRule[]): Demands | null {
  let demands = NO_DEMANDS;
  for (const rule of rules) {
    const own = ruleDemands(rule);
    if (own === null) return null;
    demands = addDemands(demands, { ...NO_DEMANDS, ...own });
  }
  return demands;
}

function ruleDemands(rule: BranchRule): Partial<Demands> | null {
  switch (rule.type) {
    case 'pull_request': {
      const read = PullRequestParameters.safeParse(rule.parameters ?? {});
      if (!read.success) return null;
      return {
        reviews: read.data.required_approving_review_count,
        dismissesStale: read.data.dismiss_stale_reviews_on_push,
        codeOwners: read.data.require_code_owner_review,
        lastPush: read.data.require_last_push_approval,
      };
    }
    case 'required_status_checks': {
      const read = StatusCheckParameters.safeParse(rule.parameters ?? {});
      if (!read.success) return null;
      const checks = read.data.required_status_checks;
      return {
        checks: {
          count: checks.length,
          pinned: checks.every((check) => isApp(check.integration_id)),
        },
      };
    }
    case 'non_fast_forward':
      return { blocksForcePush: true };
    case 'deletion':
      return { blocksDeletion: true };
    default:
      return {};
  }
}
