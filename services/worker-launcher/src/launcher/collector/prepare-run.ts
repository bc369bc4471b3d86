/**
 * Makes a run's own store, which borrows the mirror's objects, and a copy of the start commit's history for its agents.
 * Fails with `source_incomplete` when the mirror lacks any object of it. Done again it changes nothing.
 */
import { requireOid } from '@sallyport/git/oid';
import { z } from 'zod';
import type { CollectorOperation } from './operation.ts';

/** The result names the tree of the start commit: what the first step is given. */
export function prepareRun(options: { start: string }): CollectorOperation<{ tree: string }> {
  return {
    name: 'prepare_run',
    params: { start: requireOid(options.start, 'the start commit') },
    result: z.strictObject({ tree: z.string() }),
  };
}
