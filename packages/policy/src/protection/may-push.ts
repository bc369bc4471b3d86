/**
 * From the assessment of a base to what may be done: pushing a branch and opening a draft, or nothing. There is no third:
 * merging is never ours, and a base that our App can bypass stays closed whatever the configuration says.
 */
import type { ProtectionAssessment } from './assess.ts';
import type { ProtectionReason, ProtectionReasonCode } from './reasons.ts';

/** What no configuration opens: there is nothing to push to, or nothing is known about where the push would go. */
const NEVER: ReadonlySet<ProtectionReasonCode> = new Set([
  'repository_closed',
  'repository_unknown',
  'branch_unknown',
]);

export interface PushDecision {
  push: boolean;
  /** Always: a human takes a draft out of its state. */
  draft: true;
  /** For `push`, what belongs into the pull request as a note; otherwise, why not. */
  reasons: ProtectionReason[];
}

/** Whether a branch may be pushed for this base. `allowUnprotected` is the repository's own configuration. */
export function decidePush(
  assessment: ProtectionAssessment,
  config: { allowUnprotected: boolean },
): PushDecision {
  return {
    push: mayPush(assessment, config.allowUnprotected),
    draft: true,
    reasons: assessment.reasons,
  };
}

function mayPush({ verdict, reasons }: ProtectionAssessment, allowUnprotected: boolean): boolean {
  switch (verdict) {
    case 'protected':
    case 'weak':
      return true;
    case 'unprotected':
    case 'unknown':
      return allowUnprotected && reasons.every(({ code }) => !NEVER.has(code));
    case 'app_can_bypass':
      return false;
    default:
      return false;
  }
}
