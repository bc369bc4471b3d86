/**
 * What a protected base lacks though reviews are required: each gap is a way in which a review could be made worthless
 * afterwards. A gap makes the protection weak and is told to whoever reads the pull request.
 */
import { CodeownersBody, readAnswer } from './answers.ts';
import type { Demands } from './demands.ts';
import type { ProtectionFacts } from './facts.ts';
import type { ProtectionReason, ProtectionReasonCode } from './reasons.ts';

/** All gaps, in the order in which they are shown; none when everything wanted is demanded. */
export function findGaps(demands: Demands, facts: ProtectionFacts): ProtectionReason[] {
  return [...demandGaps(demands), ...codeOwnerGaps(demands, facts)];
}

function demandGaps(demands: Demands): ProtectionReason[] {
  const gaps: [boolean, ProtectionReasonCode, string][] = [
    [
      demands.dismissesStale,
      'stale_reviews_stay',
      'An approval stays valid when new commits are pushed.',
    ],
    [
      demands.lastPush,
      'last_push_not_reviewed',
      'The last push need not be approved by somebody else.',
    ],
    [demands.blocksForcePush, 'force_push_allowed', 'No rule forbids force pushes to the base.'],
    [demands.blocksDeletion, 'deletion_allowed', 'No rule forbids deleting the base.'],
    [demands.checks.count > 0, 'no_required_checks', 'No status check is required.'],
    [
      demands.checks.pinned,
      'checks_not_pinned',
      'A required check may be reported by anybody who can write.',
    ],
  ];
  return gaps.filter(([ok]) => !ok).map(([, code, message]) => ({ code, message }));
}

function codeOwnerGaps(demands: Demands, facts: ProtectionFacts): ProtectionReason[] {
  const read = readAnswer(facts.codeownersErrors, CodeownersBody);
  if (read.kind === 'absent') return [];
  if (read.kind !== 'body') {
    return [
      { code: 'code_owners_unknown', message: 'It is not known whether CODEOWNERS is in order.' },
    ];
  }
  if (read.body.errors.length > 0) {
    return [
      {
        code: 'code_owners_broken',
        message: 'CODEOWNERS has errors, so some paths have no owner.',
      },
    ];
  }
  return demands.codeOwners
    ? []
    : [
        {
          code: 'code_owners_not_required',
          message: 'There is a CODEOWNERS file, but no rule requires its owners.',
        },
      ];
}
