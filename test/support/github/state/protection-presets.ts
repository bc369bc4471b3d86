/**
 * Named states of protection for a repository's default branch. Each differs from `protected` in one thing, so that a
 * test of a refusal and its twin need to change one word.
 */
import type { Bypass, ClassicProtection, Repo, Rule } from './types.ts';
import { fullNameOf, type State } from './state.ts';

export const PROTECTION_PRESETS = [
  'protected',
  'none',
  'naming_only',
  'no_reviews',
  'app_can_bypass',
  'classic',
  'unreadable',
] as const;
export type ProtectionPreset = (typeof PROTECTION_PRESETS)[number];

/** The App whose check runs count: GitHub Actions' real id. */
export const CHECKS_APP_ID = 15_368;

function pullRequestRule(approvals: number): Rule {
  return {
    type: 'pull_request',
    parameters: {
      required_approving_review_count: approvals,
      dismiss_stale_reviews_on_push: true,
      require_code_owner_review: true,
      require_last_push_approval: true,
      required_review_thread_resolution: false,
      allowed_merge_methods: ['merge', 'squash', 'rebase'],
    },
  };
}

function fullRules(approvals: number): Rule[] {
  return [
    pullRequestRule(approvals),
    { type: 'non_fast_forward' },
    { type: 'deletion' },
    {
      type: 'required_status_checks',
      parameters: {
        strict_required_status_checks_policy: true,
        required_status_checks: [{ context: 'ci', integration_id: CHECKS_APP_ID }],
      },
    },
  ];
}

/** Classic protection that satisfies everything the `protected` preset does. */
export const FULL_CLASSIC: ClassicProtection = {
  reviews: { count: 1, dismissStale: true, codeOwners: true, lastPush: true, bypassApps: [] },
  checks: [{ context: 'ci', appId: CHECKS_APP_ID }],
  strictChecks: true,
  enforceAdmins: true,
  restrictApps: null,
  allowForcePushes: false,
  allowDeletions: false,
  lockBranch: false,
};

function addDefaultRuleset(state: State, repo: Repo, rules: readonly Rule[], bypass: Bypass): void {
  const id = state.nextId('ruleset');
  repo.rulesets.set(id, {
    id,
    name: 'Protect the default branch',
    target: 'branch',
    sourceType: 'Repository',
    source: fullNameOf(state, repo),
    enforcement: 'active',
    include: ['~DEFAULT_BRANCH'],
    exclude: [],
    rules,
    bypass,
  });
}

/** Replaces all protection of a repository by the named preset. */
export function applyPreset(state: State, repo: Repo, preset: ProtectionPreset): void {
  repo.rulesets.clear();
  repo.classic.clear();
  repo.rulesReadable = preset !== 'unreadable';
  switch (preset) {
    case 'none':
      return;
    case 'protected':
    case 'unreadable':
      return addDefaultRuleset(state, repo, fullRules(1), 'never');
    case 'no_reviews':
      return addDefaultRuleset(state, repo, fullRules(0), 'never');
    case 'app_can_bypass':
      return addDefaultRuleset(state, repo, fullRules(1), 'always');
    case 'naming_only':
      return addDefaultRuleset(
        state,
        repo,
        [
          {
            type: 'branch_name_pattern',
            parameters: { operator: 'regex', pattern: '^[a-z0-9/._-]+$', negate: false, name: '' },
          },
        ],
        'never',
      );
    case 'classic':
      repo.classic.set(repo.defaultBranch, FULL_CLASSIC);
  }
}
