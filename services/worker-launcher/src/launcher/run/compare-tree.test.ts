import { expect, test } from 'vitest';
import { attemptedToWrite, describeComparison } from './compare-tree.ts';
import type { StepTaking, TakenWork } from './take-step.ts';

const NOTHING: TakenWork = {
  kind: 'taken',
  tree: 'a'.repeat(40),
  commit: 'c'.repeat(40),
  changeCount: 0,
  changes: [],
  linesAdded: 0,
  linesRemoved: 0,
  skippedCount: 0,
  skipped: [],
  untrackedCount: 0,
  untracked: [],
  ignoredCount: 0,
  ignored: [],
  gitDirectoryTouched: false,
  packBytes: null,
};
function taken(over: Partial<TakenWork> = {}): StepTaking {
  return { kind: 'taken', taken: { ...NOTHING, ...over }, pack: null };
}
const CHANGED: Partial<TakenWork> = {
  changeCount: 1,
  changes: [
    { path: 'src/a.js', status: 'M', oldMode: '100644', newMode: '100644', added: 2, removed: 1 },
  ],
  linesAdded: 2,
  linesRemoved: 1,
};
const REFUSED: StepTaking = {
  kind: 'refused',
  failure: { reason: 'tree_too_many_files', message: 'more than 20000 files were changed' },
};
const LOST: StepTaking = { kind: 'lost', failure: { reason: 'tree_not_taken', message: '' } };

test('a read-only step attempted to write when tracked paths or the git directory were touched, not by its output', () => {
  expect(attemptedToWrite(taken(CHANGED), true)).toBe(true);
  expect(attemptedToWrite(taken({ gitDirectoryTouched: true }), true)).toBe(true);
  expect(attemptedToWrite(REFUSED, true)).toBe(true);
  expect(attemptedToWrite(taken({ untrackedCount: 1, untracked: ['coverage/'] }), true)).toBe(
    false,
  );
  expect(attemptedToWrite(taken(CHANGED), false)).toBe(false);
  expect(attemptedToWrite(LOST, true)).toBe(false);
});

function says(taking: StepTaking, kept: boolean, readOnly: boolean): unknown {
  return describeComparison(taking, { node: 'qa', baseTree: 'b', kept, readOnly })?.['says'];
}

test('one sentence says who wrote what and what became of it', () => {
  const what = 'node qa wrote to the tree: 1 path, +2 -1 lines (src/a.js)';
  expect(says(taken(CHANGED), true, false)).toBe(what);
  expect(says(taken(CHANGED), false, true)).toBe(`${what}; discarded, because it is read-only`);
  expect(says(taken(CHANGED), false, false)).toBe(`${what}; discarded, because it failed`);
  expect(says(taken(), false, true)).toBe('node qa left the tree as it was');
  expect(says(taken({ untrackedCount: 1, ignoredCount: 1 }), false, true)).toContain('2 outputs');
  expect(says(REFUSED, false, true)).toContain('more than 20000 files');
});

test('what could not be compared says nothing', () => {
  expect(describeComparison(LOST, { node: 'qa', baseTree: 'b', kept: false, readOnly: true })).toBe(
    undefined,
  );
});
