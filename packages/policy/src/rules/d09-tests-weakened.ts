/**
 * Tests are the evidence for a change, and an agent that is asked for green can change the evidence. Fewer assertions, new
 * skips, deleted tests and rewritten expectations can all be right; a human says so. Languages: JavaScript, TypeScript, Python.
 */
import { isProse, isSnapshot, testLanguage } from '../file-kinds.ts';
import type { Finding, FindingCode } from '../finding.ts';
import type { FileChange, Rule } from '../rule.ts';
import { firstRewrittenValue } from './rewritten-values.ts';
import { countTest, TEST_SIGNS } from './test-signs.ts';
import type { TestSigns } from './test-signs.ts';

export const testsWeakened: Rule = {
  id: 'd09_tests_weakened',
  check({ files }) {
    const added = new Map(
      files.filter(({ status }) => status === 'added').map((file) => [file.newOid, file.path]),
    );
    const changesSource = files.some((file) => isSource(file.path));
    return files.flatMap((file) => {
      const language = testLanguage(file.path);
      if (language === null) {
        return isSnapshot(file.path) && !changesSource ? expectationOf(file) : [];
      }
      if (file.status === 'deleted') return deleted(file, added.get(file.oldOid));
      return weakened(file, TEST_SIGNS[language], changesSource);
    });
  },
};

/** Whether the path can hold behaviour that an expectation follows: neither a test nor prose. */
function isSource(path: string): boolean {
  return testLanguage(path) === null && !isSnapshot(path) && !isProse(path);
}

function deleted(file: FileChange, movedTo: string | undefined): Finding[] {
  if (movedTo !== undefined && testLanguage(movedTo) !== null) return [];
  const reason =
    movedTo === undefined
      ? 'The change deletes a file of tests.'
      : 'The change moves a file of tests to a path where a runner does not look for tests.';
  return [held(file, 'test_deleted', null, reason)];
}

function weakened(file: FileChange, signs: TestSigns, changesSource: boolean): Finding[] {
  const before = countTest(signs, file.diff.removed);
  const after = countTest(signs, file.diff.added);
  const findings: Finding[] = [];
  if (after.tests < before.tests) {
    const reason = `The change removes ${before.tests - after.tests} more tests from this file than it adds.`;
    findings.push(held(file, 'fewer_tests', null, reason));
  }
  if (after.assertions < before.assertions) {
    const reason = `The change removes ${before.assertions - after.assertions} more assertions from this file than it adds.`;
    findings.push(held(file, 'fewer_assertions', null, reason));
  }
  if (after.skips > before.skips) {
    const reason = 'The change skips tests, or runs some alone so that the others do not run.';
    findings.push(held(file, 'test_skipped', after.firstSkip, reason));
  }
  if (after.suppressions > before.suppressions) {
    const reason = 'The change tells a checker to look away, or ends the test process by itself.';
    findings.push(held(file, 'check_suppressed', after.firstSuppression, reason));
  }
  const rewritten = before.expectations > 0 && after.assertions >= before.assertions;
  if (rewritten && !changesSource) return [...findings, ...expectationOf(file)];
  const line = firstRewrittenValue(signs, file.diff);
  if (line === null) return findings;
  const reason =
    'The change rewrites the value that an existing test expects, together with the source that it tests.';
  return [...findings, held(file, 'expectation_changed', line, reason)];
}

function expectationOf(file: FileChange): Finding[] {
  if (file.diff.removed.length === 0) return [];
  const reason = 'The change rewrites what tests expect, and no source file changes with it.';
  return [held(file, 'expectation_changed', file.diff.removed[0]?.line ?? null, reason)];
}

function held(file: FileChange, code: FindingCode, line: number | null, reason: string): Finding {
  return {
    rule: 'd09_tests_weakened',
    code,
    severity: 'hold',
    path: file.path,
    line,
    reason,
    satisfiedBy:
      'Tests that check at least what they checked before, or the approval of somebody who has compared them.',
    overridableBy: 'approver',
  };
}
