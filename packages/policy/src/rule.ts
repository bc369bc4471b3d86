/**
 * What every rule is: an id and a pure question over one change. A rule sees contents through `FileChange`, where the
 * lines have been compared once for all rules, so that no two rules can count differently.
 */
import type { Change, ChangeSet } from './change.ts';
import type { Finding, RuleId } from './finding.ts';
import type { LineDiff } from './line-diff.ts';
import { diffLines } from './line-diff.ts';
import type { PolicyConfig } from './policy-config.ts';

export interface FileChange extends Change {
  diff: LineDiff;
}

export interface Scope {
  /** Paths that the task was asked to touch: a file, or a folder written `dir/` or `dir/**`. */
  paths: readonly string[];
}

export interface RuleInput {
  set: ChangeSet;
  files: readonly FileChange[];
  config: PolicyConfig;
  /** Fake credentials planted in the sandbox; whatever carries one out is refused. */
  canaries: readonly string[];
  scope: Scope;
}

export interface Rule {
  id: RuleId;
  check(input: RuleInput): Finding[] | Promise<Finding[]>;
}

const NOTHING_COMPARED: LineDiff = { added: [], removed: [], exact: true };

/** Compares the lines of one change; sides without text have no lines. */
export function withDiff(change: Change): FileChange {
  const bothUnread = change.oldText === null && change.newText === null;
  const diff = bothUnread
    ? NOTHING_COMPARED
    : diffLines(change.oldText ?? '', change.newText ?? '');
  return { ...change, diff };
}
