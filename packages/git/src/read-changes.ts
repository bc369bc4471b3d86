/** The changed paths between two trees, from raw tree data alone: no attributes, no filters, no rename guesses. */
import { readObjectInfo, type GitPlace } from './batch-reader.ts';
import { DIFF_TREE_ARGUMENTS, parseRawDiff } from './diff-raw.ts';
import type { ChangeFact } from './import-facts.ts';
import { BundleRefused } from './import-reasons.ts';
import { runGit } from './run-git.ts';

// Two modes, two names, a status letter and a path as long as the bound on all paths allows.
const MAX_ENTRY_BYTES = 1_024;
const MIN_OUTPUT_BYTES = 1_048_576;
const GITLINK_MODE = '160000';

/** @throws BundleRefused `too_many_changes`, `path_not_utf8`, `missing_object`. */
export async function readChanges(
  place: GitPlace,
  oldTree: string,
  newTree: string,
  maxChanges: number,
): Promise<ChangeFact[]> {
  if (oldTree === newTree) return [];
  const output = await runGit({
    ...place,
    args: ['diff-tree', ...DIFF_TREE_ARGUMENTS, oldTree, newTree],
    maxStdoutBytes: MIN_OUTPUT_BYTES + maxChanges * MAX_ENTRY_BYTES,
  });
  const changes = parseRawDiff(output, maxChanges);
  const sides = changes.flatMap((c) => [side(c.oldMode, c.oldOid), side(c.newMode, c.newOid)]);
  const blobs = [...new Set(sides.filter((oid) => oid !== null))];
  const infos = await readObjectInfo(place, blobs);
  const wrong = blobs.find((oid) => infos.get(oid)?.kind !== 'blob');
  if (wrong !== undefined) {
    throw new BundleRefused('missing_object', `a changed path names ${wrong}, which is no blob`);
  }
  return changes.map((change) => ({
    ...change,
    oldSize: infos.get(side(change.oldMode, change.oldOid) ?? '')?.size ?? null,
    newSize: infos.get(side(change.newMode, change.newOid) ?? '')?.size ?? null,
  }));
}

/** The blob of one side, or null: a gitlink names a commit of another repository. */
function side(mode: string, oid: string | null): string | null {
  return mode === GITLINK_MODE ? null : oid;
}
