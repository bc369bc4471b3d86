/**
 * The whole judgement of a change: every rule is asked, each on its own, and a rule that throws refuses. Nothing here
 * reads files, clocks or networks, so the same change and policy give the same verdict in every process.
 */
import type { ChangeSet } from './change.ts';
import { decide, ruleFailed } from './decide.ts';
import type { RuleAnswer, Verdict } from './decide.ts';
import type { Finding, Overrider } from './finding.ts';
import type { PolicyConfig } from './policy-config.ts';
import { withDiff } from './rule.ts';
import type { FileChange, Rule, RuleInput, Scope } from './rule.ts';
import { ALL_RULES } from './rules/all.ts';

export interface JudgeOptions {
  config: PolicyConfig;
  canaries?: readonly string[];
  scope?: Scope;
  /** Who has approved what was held, if anybody has. */
  releasedBy?: Exclude<Overrider, 'nobody'> | null;
  rules?: readonly Rule[];
}

/** The verdict on a change set that has been parsed with `ChangeSetSchema`. Never throws for what the change contains. */
export async function judgeChange(set: ChangeSet, options: JudgeOptions): Promise<Verdict> {
  if (set.changes.length === 0) {
    return decide([{ rule: 'change', findings: [emptyChange()] }]);
  }
  const files = compareLines(set);
  if (files === null) {
    return decide([{ rule: 'change', findings: [ruleFailed('change', 'comparing lines')] }]);
  }
  const input: RuleInput = {
    set,
    files,
    config: options.config,
    canaries: options.canaries ?? [],
    scope: options.scope ?? { paths: [] },
  };
  const answers: RuleAnswer[] = [];
  for (const rule of options.rules ?? ALL_RULES) {
    // One after the other: together they would hold every view of a large change in memory at once.
    // oxlint-disable-next-line no-await-in-loop -- the order is the point
    answers.push({ rule: rule.id, findings: await ask(rule, input) });
  }
  return decide(answers, options.releasedBy ?? null);
}

function compareLines(set: ChangeSet): FileChange[] | null {
  try {
    return set.changes.map(withDiff);
  } catch {
    return null;
  }
}

async function ask(rule: Rule, input: RuleInput): Promise<Finding[]> {
  try {
    return await rule.check(input);
  } catch (error) {
    return [ruleFailed(rule.id, error instanceof Error ? error.name : 'an unknown error')];
  }
}

function emptyChange(): Finding {
  return {
    rule: 'change',
    code: 'empty_change',
    severity: 'block',
    path: null,
    line: null,
    reason: 'The change changes nothing: the tree at its head is the tree at its base.',
    satisfiedBy: 'A change to at least one file.',
    overridableBy: 'nobody',
  };
}
