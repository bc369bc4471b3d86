/**
 * A step's work as bytes that outlive the host: the pack of its commit against the start commit, and the way back.
 */
import { requireOid } from '@sallyport/git/oid';
import { z } from 'zod';
import type { CollectorOperation } from './operation.ts';

export const WORK_MAX_BYTES = 64 * 1024 * 1024;
const SizeSchema = z.strictObject({ bytes: z.int().min(0) });

/** Streams the pack of `commit` (from `takeTree`) to `onData`. Fails with `too_large` beyond `maxBytes`. */
export function writeStepPack(options: {
  commit: string;
  start: string;
  onData: (piece: Buffer) => void | Promise<void>;
  maxBytes?: number;
}): CollectorOperation<{ bytes: number }> {
  return {
    name: 'write_pack',
    params: {
      commit: requireOid(options.commit, 'the commit'),
      start: requireOid(options.start, 'the start commit'),
      maxBytes: options.maxBytes ?? WORK_MAX_BYTES,
    },
    onData: options.onData,
    result: SizeSchema,
  };
}

/** Takes such a pack into the run's store, and makes sure that nothing of `commit` is missing (`bad_pack`). */
export function loadStepPack(options: {
  commit: string;
  start: string;
  pack: AsyncIterable<Uint8Array>;
}): CollectorOperation<Record<string, never>> {
  return {
    name: 'load_pack',
    params: {
      commit: requireOid(options.commit, 'the commit'),
      start: requireOid(options.start, 'the start commit'),
      maxBytes: WORK_MAX_BYTES,
    },
    input: options.pack,
    result: z.strictObject({}),
  };
}

/** Streams the change from one tree or commit to another as a patch, for a step to read. */
export function writePatch(options: {
  from: string;
  to: string;
  onData: (piece: Buffer) => void | Promise<void>;
  maxBytes?: number;
}): CollectorOperation<{ bytes: number }> {
  return {
    name: 'write_patch',
    params: {
      from: requireOid(options.from, 'the old tree'),
      to: requireOid(options.to, 'the new tree'),
      maxBytes: options.maxBytes ?? WORK_MAX_BYTES,
    },
    onData: options.onData,
    result: SizeSchema,
  };
}
