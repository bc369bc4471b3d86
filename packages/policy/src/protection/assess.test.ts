import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assessProtection } from './assess.ts';
import type { ProtectionAssessment } from './assess.ts';
import { ProtectionFactsSchema } from './facts.ts';
import type { Answer, ProtectionFacts } from './facts.ts';
import { decidePush } from './may-push.ts';

const ok = (body: unknown): Answer => ({ kind: 'answered', status: 200, body });
const status = (code: number): Answer => ({
  kind: 'answered',
  status: code,
  body: { message: 'x' },
});
const failed: Answer = { kind: 'failed', reason: 'timeout' };

const rule = (type: string, parameters: Record<string, unknown> = {}, id = 7) => ({
  type,
  parameters,
  ruleset_source_type: 'Repository',
  ruleset_source: 'acme/app',
  ruleset_id: id,
});
const review = {
  required_approving_review_count: 1,
  dismiss_stale_reviews_on_push: true,
  require_code_owner_review: true,
  require_last_push_approval: true,
};
const checks = { required_status_checks: [{ context: 'ci', integration_id: 15368 }] };
const allRules = [
  rule('pull_request', review),
  rule('required_status_checks', checks),
  rule('non_fast_forward'),
  rule('deletion'),
];
const bound = ok({ id: 7, enforcement: 'active', current_user_can_bypass: 'never' });

const page = (rules: unknown[], number = 1) => ({ page: number, answer: ok(rules) });
const strong: ProtectionFacts = {
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
const classicBody = {
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
const classicOnly: ProtectionFacts = {
  ...strong,
  branchRules: [page([])],
  rulesets: {},
  classic: ok(classicBody),
};

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

const RANK: Record<string, number> = { protected: 2, weak: 1 };
const rank = (facts: ProtectionFacts): number => RANK[verdictOf(facts)] ?? 0;

const bypass = fc.constantFrom(
  'never',
  'never',
  'always',
  'pull_requests_only',
  'exempt',
  undefined,
);
const ruleArbitrary = fc.record({
  type: fc.constantFrom(
    'pull_request',
    'required_status_checks',
    'non_fast_forward',
    'deletion',
    'creation',
  ),
  parameters: fc.constantFrom(
    review,
    checks,
    {},
    { ...review, required_approving_review_count: 0 },
    { ...review, require_last_push_approval: false },
  ),
  ruleset_id: fc.constantFrom(7, 8),
});
const classicArbitrary = fc.oneof(
  fc.constantFrom(status(404), status(403), failed),
  fc
    .record({
      required_pull_request_reviews: fc.constantFrom(
        undefined,
        classicBody.required_pull_request_reviews,
        {
          ...classicBody.required_pull_request_reviews,
          bypass_pull_request_allowances: { apps: [{ slug: 'sallyport' }] },
        },
      ),
      required_status_checks: fc.constantFrom(undefined, classicBody.required_status_checks),
      enforce_admins: fc.record({ enabled: fc.boolean() }),
      allow_force_pushes: fc.record({ enabled: fc.boolean() }),
      allow_deletions: fc.record({ enabled: fc.boolean() }),
    })
    .map(ok),
);
const factsArbitrary: fc.Arbitrary<ProtectionFacts> = fc.record({
  appSlug: fc.constant('sallyport'),
  baseRef: fc.constant('main'),
  branchRules: fc.array(ruleArbitrary, { maxLength: 6 }).map((rules) => [page(rules)]),
  rulesets: fc.tuple(bypass, bypass).map(([one, other]) => ({
    '7': ok({ enforcement: 'active', current_user_can_bypass: one }),
    '8': ok({ enforcement: 'active', current_user_can_bypass: other }),
  })),
  classic: classicArbitrary,
  branch: fc.constant(ok({ name: 'main' })),
  repository: fc
    .constantFrom(true, false, undefined)
    .map((admin) => ok({ archived: false, permissions: { admin } })),
  codeownersErrors: fc.constantFrom(status(404), ok({ errors: [] }), ok({ errors: [{}] })),
  refUpdateRule: fc.constantFrom(null, ok({ viewerCanPush: false }), ok({ viewerCanPush: true })),
});
const noAnswer = fc.constantFrom(failed, status(403), status(500), ok('nonsense'));
const lost: fc.Arbitrary<(facts: ProtectionFacts, answer: Answer) => ProtectionFacts> =
  fc.constantFrom(
    (facts, answer) => ({ ...facts, classic: answer }),
    (facts, answer) => ({ ...facts, branch: answer }),
    (facts, answer) => ({ ...facts, repository: answer }),
    (facts, answer) => ({ ...facts, codeownersErrors: answer }),
    (facts, answer) => ({ ...facts, refUpdateRule: answer }),
    (facts, answer) => ({ ...facts, branchRules: [{ page: 1, answer }] }),
    (facts) => ({ ...facts, branchRules: [] }),
    (facts, answer) => ({ ...facts, rulesets: { ...facts.rulesets, '7': answer } }),
    (facts) => ({ ...facts, rulesets: {} }),
  );

describe('losing a fact', () => {
  test('never makes a base more protected', () => {
    fc.assert(
      fc.property(factsArbitrary, lost, noAnswer, (facts, lose, answer) => {
        expect(rank(lose(facts, answer))).toBeLessThanOrEqual(rank(facts));
      }),
      { numRuns: 2_000 },
    );
  });

  test('the facts of the property reach every verdict', () => {
    const seen = new Set(fc.sample(factsArbitrary, { numRuns: 2_000, seed: 1 }).map(verdictOf));
    expect([...seen].toSorted()).toEqual([
      'app_can_bypass',
      'protected',
      'unknown',
      'unprotected',
      'weak',
    ]);
  });
});
