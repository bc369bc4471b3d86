/**
 * What the timeline says about a step's tree beside the one it was given: for a writing step its result, for a read-only
 * one a finding, what it tried and that it was discarded.
 */
import { storableJson } from './storable.ts';
import type { StepTaking, TakenWork } from './take-step.ts';

const LISTED_PATHS = 200;

/** Whether a read-only step tried to change what is not its own: tracked paths, or the git directory. */
export function attemptedToWrite(taking: StepTaking | undefined, readOnly: boolean): boolean {
  if (!readOnly || taking === undefined || taking.kind === 'lost') return false;
  // What is more than can be taken was written all the same.
  if (taking.kind === 'refused') return true;
  return taking.taken.changeCount > 0 || taking.taken.gitDirectoryTouched;
}

/** The data of `tree_compared`; undefined when there was nothing to compare. */
export function describeComparison(
  taking: StepTaking | undefined,
  step: { baseTree: string; kept: boolean; readOnly: boolean },
): Record<string, unknown> | undefined {
  if (taking === undefined || taking.kind === 'lost') return undefined;
  const common = {
    baseTree: step.baseTree,
    result: step.kept ? 'kept' : 'discarded',
    writeAttempt: attemptedToWrite(taking, step.readOnly),
  };
  if (taking.kind === 'refused') {
    return { ...common, tree: null, refused: taking.failure.reason, paths: [] };
  }
  return { ...common, ...describeTaken(taking.taken) };
}

function describeTaken(taken: TakenWork): Record<string, unknown> {
  const { changes, untracked, ignored, skipped } = taken;
  return {
    tree: taken.tree,
    changeCount: taken.changeCount,
    linesAdded: taken.linesAdded,
    linesRemoved: taken.linesRemoved,
    paths: storableJson(
      changes
        .slice(0, LISTED_PATHS)
        .map(({ path, status, added, removed }) => ({ path, status, added, removed })),
    ),
    // Output that no rule of the tree knows, and output that it ignores: neither passes on.
    untrackedCount: taken.untrackedCount,
    untracked: storableJson(untracked.slice(0, LISTED_PATHS)),
    ignoredCount: taken.ignoredCount,
    ignored: storableJson(ignored.slice(0, LISTED_PATHS)),
    skippedCount: taken.skippedCount,
    skipped: storableJson(skipped.slice(0, LISTED_PATHS)),
    gitDirectoryTouched: taken.gitDirectoryTouched,
  };
}
