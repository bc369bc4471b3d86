/**
 * Bounds how many paths a tree unfolds to, before anything walks it recursively: ten trees of ten entries name 10^10 paths,
 * and `diff-tree` queues them all in memory before it prints the first. Directories are counted too, because a tree of
 * empty trees has no files.
 */
import { BundleRefused } from './import-reasons.ts';
import type { GitPlace } from './batch-reader.ts';
import { attemptGit, gitFailure } from './run-git.ts';

/** Bytes of all path names of the tree, each with one terminator, or `undefined` when they pass `maxBytes`. */
export async function measurePaths(
  place: GitPlace,
  tree: string,
  maxBytes: number,
): Promise<number | undefined> {
  let bytes = 0;
  const result = await attemptGit({
    ...place,
    args: ['ls-tree', '-r', '-t', '-z', '--name-only', tree],
    maxStdoutBytes: Number.MAX_SAFE_INTEGER,
    onStdout(chunk) {
      bytes += chunk.length;
      return bytes > maxBytes ? 'stop' : 'go_on';
    },
  });
  if (bytes > maxBytes) return undefined;
  if (result.end !== 'exited' || result.exitCode !== 0) throw gitFailure('ls-tree', result);
  return bytes;
}

/** Checks each different tree once. @throws BundleRefused `too_many_paths`. */
export async function boundPaths(
  place: GitPlace,
  trees: readonly string[],
  maxBytes: number,
): Promise<void> {
  for (const tree of new Set(trees)) {
    if ((await measurePaths(place, tree, maxBytes)) === undefined) {
      throw new BundleRefused(
        'too_many_paths',
        `tree ${tree} has more than ${maxBytes} bytes of paths`,
      );
    }
  }
}
