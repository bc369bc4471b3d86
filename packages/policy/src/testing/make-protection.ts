/** Answers of GitHub for tests of the assessment: a base that rulesets protect in full, and one that the classic way does. */
import type { Answer, ProtectionFacts } from '../protection/facts.ts';

export const ok = (body: unknown): Answer => ({ kind: 'answered', status: 200, body });
export const status = (code: number): Answer => ({
  kind: 'answered',
  status: code,
  body: { message: 'x' },
});
export const failed: Answer = { kind: 'failed', reason: 'timeout' };

export const rule = (type: string, parameters: Record<string, unknown> = {}, id = 7) => ({
  type,
  parameters,
  ruleset_source_type: 'Repository',
  ruleset_source: 'acme/app',
  ruleset_id: id,
});
export const review = {
  required_approving_review_count: 1,
  dismiss_stale_reviews_on_push: true,
  require_code_owner_review: true,
  require_last_push_approval: true,
};
export const checks = { required_status_checks: [{ context: 'ci', integration_id: 15368 }] };
export const allRules = [
  rule('pull_request', review),
  rule('required_status_checks', checks),
  rule('non_fast_forward'),
  rule('deletion'),
];
export const bound = ok({ id: 7, enforcement: 'active', current_user_can_bypass: 'never' });

export const page = (rules: unknown[], number = 1) => ({ page: number, answer: ok(rules) });
export const strong: ProtectionFacts = {
  appSlug: 'sallyport',
  baseRef: 'main',
  branchRules: [page(allRules)],
  rulesets: { '7': bound },
  classic: status(404),
  branch: ok({ name: 'main', protected: true, commit: { sha: 'x' } }),
  repository: ok({ archived: false, disabled: false, permissions: { admin: false } }),
  codeownersErrors: ok({ errors: [] }),
  refUpdateRule: null,
};
export const classicBody = {
  required_pull_request_reviews: {
    required_approving_review_count: 1,
    dismiss_stale_reviews: true,
    require_code_owner_reviews: true,
    require_last_push_approval: true,
  },
  required_status_checks: { strict: true, checks: [{ context: 'ci', app_id: 15368 }] },
  enforce_admins: { enabled: true },
  allow_force_pushes: { enabled: false },
  allow_deletions: { enabled: false },
};
export const classicOnly: ProtectionFacts = {
  ...strong,
  branchRules: [page([])],
  rulesets: {},
  classic: ok(classicBody),
};
