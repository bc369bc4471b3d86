import { describe, expect, test } from 'vitest';
import {
  ok,
  status,
  failed,
  rule,
  review,
  checks,
  allRules,
  bound,
  page,
  strong,
  classicBody,
  classicOnly,
} from '../testing/make-protection.ts';
import { assessProtection } from './assess.ts';
import type { ProtectionAssessment } from './assess.ts';
import { ProtectionFactsSchema } from './facts.ts';
import type { ProtectionFacts } from './facts.ts';
import { decidePush } from './may-push.ts';

const verdictOf = (facts: ProtectionFacts): string => assessProtection(facts).verdict;
const codes = (assessment: ProtectionAssessment): string[] =>
  assessment.reasons.map(({ code }) => code);
const withReview = (over: Record<string, unknown>): ProtectionFacts => ({
  ...strong,
  branchRules: [page([rule('pull_request', { ...review, ...over }), ...allRules.slice(1)])],
});
const withClassic = (over: Record<string, unknown>): ProtectionFacts => ({
  ...classicOnly,
  classic: ok({ ...classicBody, ...over }),
});

describe('a base protected by rulesets', () => {
  test('is protected, and the facts survive JSON', () => {
    expect(
      assessProtection(ProtectionFactsSchema.parse(JSON.parse(JSON.stringify(strong)))),
    ).toMatchObject({
      verdict: 'protected',
      reasons: [{ code: 'reviews_required' }],
    });
  });

  test('stays protected when classic protection may not be seen, and says so', () => {
    const assessment = assessProtection({ ...strong, classic: status(403) });
    expect(assessment.verdict).toBe('protected');
    expect(codes(assessment)).toContain('classic_unknown');
  });

  test.each([
    [
      'approvals outlive pushes',
      withReview({ dismiss_stale_reviews_on_push: false }),
      'stale_reviews_stay',
    ],
    [
      'the last push needs no approval',
      withReview({ require_last_push_approval: false }),
      'last_push_not_reviewed',
    ],
    [
      'code owners are not asked',
      withReview({ require_code_owner_review: false }),
      'code_owners_not_required',
    ],
    [
      'no check is required',
      {
        ...strong,
        branchRules: [page(allRules.filter(({ type }) => type !== 'required_status_checks'))],
      },
      'no_required_checks',
    ],
    [
      'a check may come from anybody',
      {
        ...strong,
        branchRules: [
          page([
            ...allRules.filter(({ type }) => type !== 'required_status_checks'),
            rule('required_status_checks', { required_status_checks: [{ context: 'ci' }] }),
          ]),
        ],
      },
      'checks_not_pinned',
    ],
    [
      'force pushes are allowed',
      {
        ...strong,
        branchRules: [page(allRules.filter(({ type }) => type !== 'non_fast_forward'))],
      },
      'force_push_allowed',
    ],
    [
      'deletion is allowed',
      { ...strong, branchRules: [page(allRules.filter(({ type }) => type !== 'deletion'))] },
      'deletion_allowed',
    ],
    [
      'CODEOWNERS is broken',
      { ...strong, codeownersErrors: ok({ errors: [{ line: 1 }] }) },
      'code_owners_broken',
    ],
    [
      'CODEOWNERS could not be read',
      { ...strong, codeownersErrors: failed },
      'code_owners_unknown',
    ],
    [
      'the checks are in a ruleset that we may bypass',
      {
        ...strong,
        branchRules: [
          page([
            ...allRules.filter(({ type }) => type !== 'required_status_checks'),
            rule('required_status_checks', checks, 8),
          ]),
        ],
        rulesets: {
          '7': bound,
          '8': ok({ enforcement: 'active', current_user_can_bypass: 'always' }),
        },
      },
      'no_required_checks',
    ],
  ] as [string, ProtectionFacts, string][])('is weak when %s', (_what, facts, code) => {
    const assessment = assessProtection(facts);
    expect(assessment.verdict).toBe('weak');
    expect(codes(assessment)).toContain(code);
    expect(decidePush(assessment, { allowUnprotected: false })).toMatchObject({
      push: true,
      draft: true,
    });
  });

  test('needs no code owner review when there is no CODEOWNERS file', () => {
    expect(
      verdictOf({
        ...withReview({ require_code_owner_review: false }),
        codeownersErrors: status(404),
      }),
    ).toBe('protected');
  });

  test.each([
    ['no rule at all', { ...strong, branchRules: [page([])] }],
    ['a naming rule alone', { ...strong, branchRules: [page([rule('branch_name_pattern')])] }],
    ['a pull request rule without reviews', withReview({ required_approving_review_count: 0 })],
    [
      'status checks alone',
      { ...strong, branchRules: [page([rule('required_status_checks', checks)])] },
    ],
  ] as [string, ProtectionFacts][])(
    'is unprotected with %s, though the branch is called protected',
    (_what, facts) => {
      const assessment = assessProtection(facts);
      expect(assessment.verdict).toBe('unprotected');
      expect(codes(assessment)).toEqual(['no_required_reviews']);
      expect(decidePush(assessment, { allowUnprotected: false }).push).toBe(false);
      expect(decidePush(assessment, { allowUnprotected: true }).push).toBe(true);
    },
  );

  test.each(['always', 'pull_requests_only', 'exempt', 'something_new'])(
    'is open to our App with bypass %s',
    (bypass) => {
      const assessment = assessProtection({
        ...strong,
        rulesets: { '7': ok({ enforcement: 'active', current_user_can_bypass: bypass }) },
      });
      expect(assessment.verdict).toBe('app_can_bypass');
      expect(decidePush(assessment, { allowUnprotected: true }).push).toBe(false);
    },
  );

  test('is open when one of two rulesets with reviews can be bypassed, and not when neither can', () => {
    const two = { ...strong, branchRules: [page([...allRules, rule('pull_request', review, 8)])] };
    const always = ok({ enforcement: 'active', current_user_can_bypass: 'always' });
    expect(verdictOf({ ...two, rulesets: { '7': bound, '8': always } })).toBe('app_can_bypass');
    expect(verdictOf({ ...two, rulesets: { '7': bound, '8': bound } })).toBe('protected');
  });

  test.each([
    ['viewerCanPush', { viewerCanPush: true }, 'app_can_bypass'],
    ['not viewerCanPush', { viewerCanPush: false }, 'protected'],
    ['null', null, 'protected'],
    ['something else', { viewerMayPush: false }, 'unknown'],
  ])('when GitHub answers %s for the ref', (_what, body, verdict) => {
    expect(verdictOf({ ...strong, refUpdateRule: ok(body) })).toBe(verdict);
  });
});

describe('a base protected the classic way', () => {
  test('is protected', () => {
    expect(verdictOf(classicOnly)).toBe('protected');
  });

  test.each([
    [
      'the App may bypass pull requests',
      withClassic({
        required_pull_request_reviews: {
          ...classicBody.required_pull_request_reviews,
          bypass_pull_request_allowances: { apps: [{ slug: 'sallyport' }] },
        },
      }),
      'app_can_bypass',
    ],
    [
      'another App may',
      withClassic({
        required_pull_request_reviews: {
          ...classicBody.required_pull_request_reviews,
          bypass_pull_request_allowances: { apps: [{ slug: 'other' }] },
        },
      }),
      'protected',
    ],
    [
      'the App may push',
      withClassic({ restrictions: { users: [], teams: [], apps: [{ slug: 'sallyport' }] } }),
      'app_can_bypass',
    ],
    [
      'another App may push',
      withClassic({ restrictions: { users: [], teams: [], apps: [{ slug: 'other' }] } }),
      'protected',
    ],
    [
      'no review is required',
      withClassic({ required_pull_request_reviews: undefined }),
      'unprotected',
    ],
    [
      'administrators are exempt and we are none',
      withClassic({ enforce_admins: { enabled: false } }),
      'protected',
    ],
    [
      'administrators are exempt and we are one',
      {
        ...withClassic({ enforce_admins: { enabled: false } }),
        repository: ok({ archived: false, permissions: { admin: true } }),
      },
      'app_can_bypass',
    ],
    [
      'administrators are exempt and nobody says what we are',
      {
        ...withClassic({ enforce_admins: { enabled: false } }),
        repository: ok({ archived: false }),
      },
      'unknown',
    ],
    [
      'a check may come from any source',
      withClassic({ required_status_checks: { checks: [{ context: 'ci', app_id: -1 }] } }),
      'weak',
    ],
    ['force pushes are allowed', withClassic({ allow_force_pushes: { enabled: true } }), 'weak'],
  ] as [string, ProtectionFacts, string][])('when %s', (_what, facts, verdict) => {
    expect(verdictOf(facts)).toBe(verdict);
  });

  test('that lists our App does not open a base which a ruleset closes', () => {
    const listed = withClassic({ restrictions: { apps: [{ slug: 'sallyport' }] } }).classic;
    expect(verdictOf({ ...strong, classic: listed })).toBe('protected');
  });
});

describe('what is not known', () => {
  test.each([
    [
      'the rules are forbidden (a private repository without a plan)',
      { ...strong, branchRules: [{ page: 1, answer: status(403) }] },
      'rulesets_unknown',
    ],
    [
      'the rules failed',
      { ...strong, branchRules: [{ page: 1, answer: failed }] },
      'rulesets_unknown',
    ],
    ['the rules were not asked for', { ...strong, branchRules: [] }, 'rulesets_unknown'],
    [
      'the rules are no list',
      { ...strong, branchRules: [{ page: 1, answer: ok({ rules: [] }) }] },
      'rulesets_unknown',
    ],
    [
      'the first page is missing',
      { ...strong, branchRules: [page(allRules, 2)] },
      'rulesets_unknown',
    ],
    [
      'a page after a full one is missing',
      {
        ...strong,
        branchRules: [page([...allRules, ...Array.from({ length: 96 }, () => rule('creation'))])],
      },
      'rulesets_unknown',
    ],
    ['the ruleset was not asked for', { ...strong, rulesets: {} }, 'rulesets_unknown'],
    ['the ruleset is gone', { ...strong, rulesets: { '7': status(404) } }, 'rulesets_unknown'],
    [
      'the ruleset does not say who may bypass',
      { ...strong, rulesets: { '7': ok({ enforcement: 'active' }) } },
      'rulesets_unknown',
    ],
    [
      'the ruleset was turned off meanwhile',
      {
        ...strong,
        rulesets: { '7': ok({ enforcement: 'evaluate', current_user_can_bypass: 'never' }) },
      },
      'rulesets_unknown',
    ],
    [
      'no ruleset demands reviews and classic is forbidden',
      { ...classicOnly, classic: status(403) },
      'classic_unknown',
    ],
    [
      'no ruleset demands reviews and classic failed',
      { ...classicOnly, classic: status(500) },
      'classic_unknown',
    ],
    ['the branch is not there', { ...strong, branch: status(404) }, 'branch_unknown'],
    ['the repository is not there', { ...strong, repository: failed }, 'repository_unknown'],
    [
      'GitHub was asked about the ref in vain',
      { ...strong, refUpdateRule: failed },
      'ref_update_rule_unknown',
    ],
  ] as [string, ProtectionFacts, string][])('closes the base: %s', (_what, facts, code) => {
    const assessment = assessProtection(facts);
    expect(assessment).toMatchObject({ verdict: 'unknown', reasons: [{ code }] });
    expect(decidePush(assessment, { allowUnprotected: false }).push).toBe(false);
  });

  test('a second page is read', () => {
    const full = Array.from({ length: 100 }, () => rule('creation'));
    expect(verdictOf({ ...strong, branchRules: [page(full), page(allRules, 2)] })).toBe(
      'protected',
    );
  });

  test('an archived repository stays closed whatever is configured', () => {
    const closed = assessProtection({ ...strong, repository: ok({ archived: true }) });
    expect(decidePush(closed, { allowUnprotected: true }).push).toBe(false);
    const gone = assessProtection({ ...strong, branch: status(404) });
    expect(decidePush(gone, { allowUnprotected: true }).push).toBe(false);
  });

  test('a known bypass is told even when other things are not known', () => {
    const two = { ...strong, branchRules: [page([...allRules, rule('pull_request', review, 8)])] };
    const always = ok({ enforcement: 'active', current_user_can_bypass: 'always' });
    expect(verdictOf({ ...two, rulesets: { '8': always } })).toBe('app_can_bypass');
  });
});
