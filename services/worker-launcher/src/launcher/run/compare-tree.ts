/**
 * What the timeline says about a step's tree beside the one it was given: for a writing step its result, for a read-only
 * one a finding, what it tried and that it was discarded.
 */
import { namePaths } from './name-paths.ts';
import { storableJson, storableText } from './storable.ts';
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
  step: { node: string; baseTree: string; kept: boolean; readOnly: boolean },
): Record<string, unknown> | undefined {
  if (taking === undefined || taking.kind === 'lost') return undefined;
  const common = {
    says: storableText(sayInWords(taking, step)),
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

/** One sentence for people: who wrote what, and what became of it. */
function sayInWords(
  taking: Exclude<StepTaking, { kind: 'lost' }>,
  { node, kept, readOnly }: { node: string; kept: boolean; readOnly: boolean },
): string {
  const fate = kept ? '' : `; discarded, because ${readOnly ? 'it is read-only' : 'it failed'}`;
  if (taking.kind === 'refused') {
    return `node ${node} wrote more to the tree than can be taken (${taking.failure.message})${fate}`;
  }
  const { taken } = taking;
  if (taken.changeCount === 0) {
    const output = taken.untrackedCount + taken.ignoredCount;
    const left = output === 0 ? '' : `; ${count(output, 'output')} beside it did not pass on`;
    const git = taken.gitDirectoryTouched && readOnly ? ' but touched its git directory' : '';
    return `node ${node} left the tree as it was${git}${left}`;
  }
  const named = namePaths(
    taken.changes.map(({ path }) => path),
    taken.changeCount,
  );
  const lines =
    taken.linesAdded === null || taken.linesRemoved === null
      ? ''
      : `, +${taken.linesAdded} -${taken.linesRemoved} lines`;
  return `node ${node} wrote to the tree: ${count(taken.changeCount, 'path')}${lines} (${named})${fate}`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
