/**
 * Reads the blobs that a policy has to see: both sides of the whole change and of each commit, by object name, within caps.
 * What does not fit is listed as such, so that a rule can refuse it by name; it is never silently absent.
 */
import { createHash } from 'node:crypto';
import { readObjects, type GitPlace, type ObjectInfo } from './batch-reader.ts';
import type { BlobContent, BlobFact, ChangeFact, CommitFact } from './import-facts.ts';
import type { ImportLimits } from './import-limits.ts';

export interface Contents {
  blobs: BlobFact[];
  contents: Map<string, Buffer>;
}

/** The blobs of all changes, each once. Each of new sides, old sides and earlier commits has the total cap to itself. */
export async function readContents(
  place: GitPlace,
  changes: readonly ChangeFact[],
  commits: readonly CommitFact[],
  limits: Pick<ImportLimits, 'contentBlobBytes' | 'contentTotalBytes'>,
): Promise<Contents> {
  const verdicts = new Map<string, { info: ObjectInfo; content: BlobContent }>();
  const earlier = commits.flatMap((commit) => commit.changes);
  for (const group of [
    newSides(changes),
    oldSides(changes),
    [...newSides(earlier), ...oldSides(earlier)],
  ]) {
    let left = limits.contentTotalBytes;
    for (const info of group) {
      if (verdicts.has(info.oid)) continue;
      const content = fit(info.size, left, limits.contentBlobBytes);
      if (content === 'present') left -= info.size;
      verdicts.set(info.oid, { info, content });
    }
  }
  const wanted = [...verdicts.values()].filter((v) => v.content === 'present').map((v) => v.info);
  const contents = await readObjects(place, wanted);
  const blobs = [...verdicts.values()].map(({ info, content }): BlobFact => {
    const bytes = contents.get(info.oid);
    const sha256 = bytes === undefined ? null : createHash('sha256').update(bytes).digest('hex');
    return { oid: info.oid, size: info.size, content, sha256 };
  });
  return { blobs, contents };
}

function fit(size: number, left: number, maxBlobBytes: number): BlobContent {
  if (size > maxBlobBytes) return 'over_file_limit';
  return size > left ? 'over_total_limit' : 'present';
}

function newSides(changes: readonly ChangeFact[]): ObjectInfo[] {
  return changes.flatMap((c) => blobInfo(c.newOid, c.newSize));
}

function oldSides(changes: readonly ChangeFact[]): ObjectInfo[] {
  return changes.flatMap((c) => blobInfo(c.oldOid, c.oldSize));
}

function blobInfo(oid: string | null, size: number | null): ObjectInfo[] {
  return oid === null || size === null ? [] : [{ oid, kind: 'blob', size }];
}
