/**
 * The bundle that a run ends with: one branch, one commit, the start commit as its only prerequisite. The header is
 * written here, so that git has no say in which refs a bundle names.
 */
import { requireOid } from '@sallyport/git/oid';
import { writeBundleHeader } from '@sallyport/git/write-bundle-header';
import { z } from 'zod';
import type { CollectorOperation } from './operation.ts';
import { WORK_MAX_BYTES, writeStepPack } from './step-pack.ts';

/**
 * Streams a version 2 bundle of `commit` (from `takeTree`) to `onData`; `branch` is the name from the ticket, without
 * `refs/heads/`. The result counts all bytes. Fails with `too_large` beyond `maxBytes`.
 */
export function makeBundle(options: {
  commit: string;
  start: string;
  branch: string;
  onData: (piece: Buffer) => void | Promise<void>;
  maxBytes?: number;
}): CollectorOperation<{ bytes: number }> {
  const start = requireOid(options.start, 'the start commit');
  const header = writeBundleHeader(
    { base: start, ref: `refs/heads/${options.branch}` },
    options.commit,
  );
  let headerIsDue = true;
  const pack = writeStepPack({
    commit: options.commit,
    start,
    maxBytes: (options.maxBytes ?? WORK_MAX_BYTES) - header.byteLength,
    async onData(piece) {
      if (headerIsDue) {
        headerIsDue = false;
        await options.onData(header);
      }
      await options.onData(piece);
    },
  });
  return {
    ...pack,
    result: z
      .strictObject({ bytes: z.int() })
      .transform(({ bytes }) => ({ bytes: bytes + header.byteLength })),
  };
}
