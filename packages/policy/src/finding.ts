/**
 * What a rule says about a change: which rule, how grave, where, why in a sentence, and what would satisfy it, so that
 * every refusal can be understood and mended by whoever reads it.
 */

export const RULE_IDS = [
  'change',
  'd01_modes',
  'd02_exec_bit',
  'd03_binary',
  'd04_caps',
  'd05_protected_paths',
  'd06_names',
  'd07_hidden_unicode',
  'd08_secrets',
  'd09_tests_weakened',
  'd15_history',
] as const;
export type RuleId = (typeof RULE_IDS)[number];

export const FINDING_CODES = [
  'empty_change',
  'rule_failed',
  'gitlink',
  'symlink',
  'unusual_mode',
  'exec_bit_set',
  'binary_content',
  'binary_removed',
  'too_many_files',
  'too_many_lines',
  'too_many_bytes',
  'too_many_commits',
  'file_too_large',
  'line_too_long',
  'path_too_long',
  'path_too_deep',
  'content_not_read',
  'old_content_not_read',
  'protected_path',
  'bad_name',
  'name_collision',
  'base_paths_unknown',
  'hidden_unicode',
  'control_character',
  'mixed_script',
  'secret',
  'canary_seen',
  'fewer_assertions',
  'fewer_tests',
  'test_skipped',
  'test_deleted',
  'expectation_changed',
  'check_suppressed',
  'not_one_line',
] as const;
export type FindingCode = (typeof FINDING_CODES)[number];

/** `block` refuses, `hold` waits for a human, `note` is only shown. */
export type Severity = 'block' | 'hold' | 'note';
export type Overrider = 'nobody' | 'approver' | 'operator';

export interface Finding {
  rule: RuleId;
  code: FindingCode;
  severity: Severity;
  /** Null when the finding is about the change as a whole. Escape it before printing: it may hold any character. */
  path: string | null;
  /** Line of the new side, from 1; of the old side when the finding is about removed text. */
  line: number | null;
  /** A full sentence. Never contains text of the change itself beyond its path. */
  reason: string;
  satisfiedBy: string;
  overridableBy: Overrider;
}
