/**
 * Whether a base branch is protected against our own App, from facts alone. Without a human's review between a push and the
 * base, a stolen token or a flaw here could change the base, so whatever is not known counts as not protected.
 */
import { BranchBody, readAnswer, RefUpdateRuleBody, RepositoryBody } from './answers.ts';
import { addDemands, NO_DEMANDS } from './demands.ts';
import type { Demands, Layer } from './demands.ts';
import type { ProtectionFacts } from './facts.ts';
import { findGaps } from './find-gaps.ts';
import { readClassic } from './read-classic.ts';
import { readRulesets } from './read-rulesets.ts';
import type { ProtectionReason, ProtectionReasonCode } from './reasons.ts';

export const PROTECTION_VERDICTS = [
  'protected',
  'weak',
  'unprotected',
  'unknown',
  'app_can_bypass',
] as const;
export type ProtectionVerdict = (typeof PROTECTION_VERDICTS)[number];

export interface ProtectionAssessment {
  verdict: ProtectionVerdict;
  reasons: ProtectionReason[];
}

/** The assessment of a base: `weak` when reviews are required of our App but something that should be is missing. */
export function assessProtection(facts: ProtectionFacts): ProtectionAssessment {
  const repository = readAnswer(facts.repository, RepositoryBody);
  if (repository.kind !== 'body')
    return no('unknown', 'repository_unknown', 'The repository could not be read.');
  if (repository.body.archived || repository.body.disabled) {
    return no('unprotected', 'repository_closed', 'The repository is archived or disabled.');
  }
  if (readAnswer(facts.branch, BranchBody).kind !== 'body') {
    return no('unknown', 'branch_unknown', 'The base branch could not be read.');
  }
  const rulesets = readRulesets(facts);
  const classic = readClassic(facts, repository.body.permissions?.admin ?? null);
  const known =
    rulesets.bypassableBy ?? (rulesets.kind === 'unknown' ? classic.bypassableBy : null);
  if (known !== null) {
    return no('app_can_bypass', 'app_can_bypass', `The protection does not bind us: ${known}.`);
  }
  const refused = refusedByRef(facts);
  if (refused !== null) return refused;
  if (rulesets.kind === 'unknown') {
    return no('unknown', 'rulesets_unknown', `The rulesets are not known: ${rulesets.why}.`);
  }
  return combine(rulesets, classic, facts);
}

function combine(
  rulesets: Extract<Layer, { kind: 'read' }>,
  classic: Layer,
  facts: ProtectionFacts,
): ProtectionAssessment {
  const own = classic.kind === 'read' ? classic.demands : NO_DEMANDS;
  const demands = addDemands(rulesets.demands, own);
  if (demands.reviews >= 1)
    return required(demands, facts, [...rulesets.notes.map(note), ...classicNotes(classic)]);
  if (classic.kind === 'unknown') {
    return no(
      'unknown',
      'classic_unknown',
      `No ruleset requires a review, and classic protection is not known: ${classic.why}.`,
    );
  }
  if (classic.bypassableBy !== null) {
    return no(
      'app_can_bypass',
      'app_can_bypass',
      `The protection does not bind us: ${classic.bypassableBy}.`,
    );
  }
  return no(
    'unprotected',
    'no_required_reviews',
    'No rule requires a review before a change reaches this branch.',
  );
}

function classicNotes(classic: Layer): ProtectionReason[] {
  if (classic.kind === 'read') return classic.notes.map(note);
  return [{ code: 'classic_unknown', message: `Classic protection is not known: ${classic.why}.` }];
}

function refusedByRef(facts: ProtectionFacts): ProtectionAssessment | null {
  if (facts.refUpdateRule === null) return null;
  const read = readAnswer(facts.refUpdateRule, RefUpdateRuleBody);
  if (read.kind !== 'body') {
    return no(
      'unknown',
      'ref_update_rule_unknown',
      'GitHub was asked whether our App may push to the base and did not say.',
    );
  }
  return read.body?.viewerCanPush === true
    ? no(
        'app_can_bypass',
        'app_can_push_base',
        'GitHub says that our App may push to the base branch itself.',
      )
    : null;
}

function required(
  demands: Demands,
  facts: ProtectionFacts,
  notes: readonly ProtectionReason[],
): ProtectionAssessment {
  const missing = findGaps(demands, facts);
  const reviews: ProtectionReason = {
    code: 'reviews_required',
    message: `The base requires ${demands.reviews} approving review(s), and our App cannot bypass them.`,
  };
  return {
    verdict: missing.length === 0 ? 'protected' : 'weak',
    reasons: [reviews, ...missing, ...notes],
  };
}

function note(text: string): ProtectionReason {
  return { code: 'layer_note', message: `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.` };
}

function no(
  verdict: ProtectionVerdict,
  code: ProtectionReasonCode,
  message: string,
): ProtectionAssessment {
  return { verdict, reasons: [{ code, message }] };
}
