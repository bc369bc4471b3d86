import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ok,
  status,
  failed,
  review,
  checks,
  page,
  classicBody,
} from '../testing/make-protection.ts';
import { assessProtection } from './assess.ts';
import type { Answer, ProtectionFacts } from './facts.ts';

const verdictOf = (facts: ProtectionFacts): string => assessProtection(facts).verdict;
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
