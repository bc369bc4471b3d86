/**
 * Makes the pack that leaves the import: only what the head's tree needs beyond the start commit's tree, every object
 * written anew and whole, so that whoever reads it resolves no delta that an agent wrote.
 */
import type { GitPlace } from './batch-reader.ts';
import type { ImportLimits } from './import-limits.ts';
import { runGit } from './run-git.ts';

const PACK_OVERHEAD_BYTES = 1_048_576;

/** The pack's bytes; a pack of no objects when the trees are equal. @throws AppError as `runGit`. */
export async function makeCleanPack(
  place: GitPlace,
  headTree: string,
  baseTree: string,
  limits: Pick<ImportLimits, 'totalObjectBytes'>,
): Promise<Buffer> {
  return runGit({
    ...place,
    args: [
      'pack-objects',
      '--revs',
      '--stdout',
      '--quiet',
      '--no-reuse-delta',
      '--no-reuse-object',
      '--window=0',
      '--threads=1',
    ],
    stdin: Buffer.from(`${headTree}\n^${baseTree}\n`),
    maxStdoutBytes: limits.totalObjectBytes + PACK_OVERHEAD_BYTES,
  });
}
