/**
 * Reads files of a commit for the launcher, which has no git: their bytes, or only what tells one content from another.
 * A link, a submodule or a directory under the name of a file is none.
 */
import { requireOid } from '@sallyport/git/oid';
import { z } from 'zod';
import type { CollectorOperation } from './operation.ts';

const ReadFilesSchema = z.strictObject({
  /** The tree of the commit. */
  tree: z.string().regex(/^[0-9a-f]{40}$/),
  /** In the order of the paths. */
  files: z.array(
    z.discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('file'),
        path: z.string(),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        /** Null unless the content was asked for. */
        base64: z.string().nullable(),
      }),
      z.strictObject({ kind: z.enum(['missing', 'no_file']), path: z.string() }),
    ]),
  ),
});
export type ReadFiles = z.infer<typeof ReadFilesSchema>;

/**
 * The files at these paths. Fails with `source_incomplete` when the commit is not in the run's store, and with `too_large`
 * when all of them together have more than `maxBytes`.
 */
export function readFiles(options: {
  commit: string;
  paths: readonly string[];
  content: boolean;
  maxBytes: number;
}): CollectorOperation<ReadFiles> {
  return {
    name: 'read_files',
    params: { ...options, commit: requireOid(options.commit, 'the commit') },
    result: ReadFilesSchema,
  };
}
