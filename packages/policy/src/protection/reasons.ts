/** The closed list of reasons that an assessment of a base branch gives. */

export const PROTECTION_REASONS = [
  'reviews_required',
  'no_required_reviews',
  'app_can_bypass',
  'app_can_push_base',
  'rulesets_unknown',
  'classic_unknown',
  'branch_unknown',
  'repository_unknown',
  'repository_closed',
  'ref_update_rule_unknown',
  'stale_reviews_stay',
  'last_push_not_reviewed',
  'code_owners_not_required',
  'code_owners_broken',
  'code_owners_unknown',
  'force_push_allowed',
  'deletion_allowed',
  'no_required_checks',
  'checks_not_pinned',
  'layer_note',
] as const;
export type ProtectionReasonCode = (typeof PROTECTION_REASONS)[number];

export interface ProtectionReason {
  code: ProtectionReasonCode;
  /** A full sentence. */
  message: string;
}
