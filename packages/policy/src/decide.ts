/**
 * From findings to a verdict. One block refuses whatever else was found, a hold waits for a human, and only the absence of
 * both publishes. The tree of reasons is the verdict's evidence and is stored with it.
 */
import type { Finding, Overrider, RuleId } from './finding.ts';

export const VERDICTS = ['publish', 'hold', 'reject'] as const;
export type VerdictKind = (typeof VERDICTS)[number];

export interface ReasonNode {
  rule: RuleId | 'verdict';
  result: VerdictKind;
  message: string;
  finding: Finding | null;
  children: ReasonNode[];
}

export interface Verdict {
  verdict: VerdictKind;
  reasons: ReasonNode;
  findings: Finding[];
}

const RANK: Record<VerdictKind, number> = { publish: 0, hold: 1, reject: 2 };
const GRADE: Record<Overrider, number> = { nobody: 2, operator: 1, approver: 0 };

/** One rule's answer: what it found, in full. */
export interface RuleAnswer {
  rule: RuleId;
  findings: readonly Finding[];
}

/**
 * The verdict over the answers of all rules. `releasedBy` says who has approved what was held: holds that this person may
 * override no longer hold; blocks stay.
 */
export function decide(
  answers: readonly RuleAnswer[],
  releasedBy: Exclude<Overrider, 'nobody'> | null = null,
): Verdict {
  if (answers.length === 0) {
    return decide([{ rule: 'change', findings: [ruleFailed('change', 'no rule was asked')] }]);
  }
  const children = answers.map((answer) => answerNode(answer, releasedBy));
  const verdict = worst(children);
  const reasons: ReasonNode = {
    rule: 'verdict',
    result: verdict,
    message: VERDICT_MESSAGES[verdict],
    finding: null,
    children,
  };
  return { verdict, reasons, findings: answers.flatMap((answer) => answer.findings) };
}

const VERDICT_MESSAGES: Record<VerdictKind, string> = {
  publish: 'No rule objects.',
  hold: 'A human must approve before anything leaves.',
  reject: 'At least one rule refuses the change.',
};

/** The finding that stands for a rule which threw: unknown is no. */
export function ruleFailed(rule: RuleId, what: string): Finding {
  return {
    rule,
    code: 'rule_failed',
    severity: 'block',
    path: null,
    line: null,
    reason: `The rule ${rule} could not be applied (${what}), so the change counts as refused.`,
    satisfiedBy: 'A version of this system in which the rule can be applied to this change.',
    overridableBy: 'nobody',
  };
}

function answerNode(answer: RuleAnswer, releasedBy: Overrider | null): ReasonNode {
  const children = answer.findings.map((finding): ReasonNode => {
    const result = resultOf(finding, releasedBy);
    return { rule: finding.rule, result, message: finding.reason, finding, children: [] };
  });
  const result = worst(children);
  const message = children.length === 0 ? 'Nothing found.' : `Found ${children.length}.`;
  return { rule: answer.rule, result, message, finding: null, children };
}

function resultOf(finding: Finding, releasedBy: Overrider | null): VerdictKind {
  switch (finding.severity) {
    case 'note':
      return 'publish';
    case 'hold':
      return releasedBy !== null && GRADE[finding.overridableBy] <= GRADE[releasedBy]
        ? 'publish'
        : 'hold';
    case 'block':
      return 'reject';
    default:
      return 'reject';
  }
}

function worst(nodes: readonly ReasonNode[]): VerdictKind {
  return nodes.reduce<VerdictKind>(
    (most, node) => (RANK[node.result] > RANK[most] ? node.result : most),
    'publish',
  );
}
