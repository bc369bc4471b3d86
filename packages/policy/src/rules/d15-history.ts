/**
 * One line of commits from the base to the head, each of them clean by itself: what a commit adds and a later one removes
 * is in the history all the same, and a merge or a second root can carry what no diff shows.
 */
import type { Commit } from '../change.ts';
import type { Finding } from '../finding.ts';
import { withDiff } from '../rule.ts';
import type { FileChange, Rule, RuleInput } from '../rule.ts';
import { CONTENT_RULES } from './content-rules.ts';

export const history: Rule = {
  id: 'd15_history',
  async check(input) {
    const broken = findBreak(input);
    if (broken !== null) return [notOneLine(broken)];
    const judged = new Set(input.set.changes.map(keyOf));
    const perCommit: Finding[][] = [];
    for (const commit of input.set.commits.slice(0, input.config.limits.commits)) {
      // What equals a part of the whole change has been judged with it.
      const files = commit.commitChanges.filter((change) => !judged.has(keyOf(change)));
      if (files.length === 0) continue;
      // oxlint-disable-next-line no-await-in-loop -- one commit at a time bounds the memory
      perCommit.push(await judgeCommit(input, commit, files.map(withDiff)));
      for (const file of files) judged.add(keyOf(file));
    }
    return perCommit.flat();
  },
};

function keyOf(change: Omit<FileChange, 'diff'>): string {
  const { path, oldMode, newMode, oldOid, newOid } = change;
  return [oldMode, newMode, oldOid, newOid, path].join(' ');
}

/** What breaks the line base → … → head, or null. */
function findBreak({ set }: RuleInput): string | null {
  if (set.commits.length === 0) return 'there is no commit between the base and the head';
  let expected = set.base;
  for (const { oid, parents } of set.commits) {
    if (parents.length === 0) return `the commit ${short(oid)} has no parent`;
    if (parents.length > 1) return `the commit ${short(oid)} is a merge`;
    if (parents[0] !== expected) {
      return `the parent of the commit ${short(oid)} is not the one before it`;
    }
    expected = oid;
  }
  return expected === set.head ? null : 'the last commit is not the head';
}

async function judgeCommit(
  input: RuleInput,
  commit: Commit,
  files: readonly FileChange[],
): Promise<Finding[]> {
  // Collisions are a question about trees that can be checked out, and only the head can be.
  const set = { ...input.set, changes: [...files], commits: [], basePaths: [] };
  const answers = await Promise.all(
    CONTENT_RULES.map(async (rule) => rule.check({ ...input, set, files })),
  );
  return answers.flat().map((finding) => ({
    ...finding,
    rule: 'd15_history',
    reason: `In the commit ${short(commit.oid)}: ${finding.reason}`,
  }));
}

function short(oid: string): string {
  return oid.slice(0, 12);
}

function notOneLine(what: string): Finding {
  return {
    rule: 'd15_history',
    code: 'not_one_line',
    severity: 'block',
    path: null,
    line: null,
    reason: `The commits are not one line from the base to the head: ${what}.`,
    satisfiedBy:
      'Commits with exactly one parent each, the first upon the base and the last the head.',
    overridableBy: 'nobody',
  };
}
