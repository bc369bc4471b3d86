/**
 * Finds two spellings of one name, for files and for the folders that lead to them: `Src/a` beside `src/b` merges two
 * folders on a file system that ignores case.
 */
import { foldPath } from '../path-fold.ts';

/** Folded prefix → the spelling seen, or null once there were two. */
export type FoldIndex = ReadonlyMap<string, string | null>;

/** An index over all prefixes of the paths. */
export function foldIndex(paths: readonly string[]): FoldIndex {
  const index = new Map<string, string | null>();
  const done = new Set<string>();
  for (const path of paths) {
    for (const prefix of prefixes(path)) {
      // Whoever has this prefix has all shorter ones in the index too.
      if (done.has(prefix)) break;
      done.add(prefix);
      const folded = foldPath(prefix);
      const seen = index.get(folded);
      if (seen === undefined) index.set(folded, prefix);
      else if (seen !== prefix) index.set(folded, null);
    }
  }
  return index;
}

/** The first prefix of the path that is spelt in more than one way, or null. */
export function findCollision(index: FoldIndex, path: string): string | null {
  return prefixes(path).findLast((prefix) => index.get(foldPath(prefix)) === null) ?? null;
}

/** The path and each folder above it, longest first. */
function prefixes(path: string): string[] {
  const found = [path];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    found.push(path.slice(0, at));
  }
  return found;
}
