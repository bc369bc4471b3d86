/**
 * Lays a tree out for all steps of a run that are given it: once on disk, however many there are and whatever they write.
 * A tree that differs from the start commit's is laid out as that difference alone.
 */
import { requireOid } from '@sallyport/git/oid';
import { z } from 'zod';
import { configurationParams, WithheldShape, type Withheld } from './configuration.ts';
import type { CollectorOperation } from './operation.ts';

const oid = z.string().regex(/^[0-9a-f]{40}$/);

/**
 * `tree` may be a tree or a commit; its layers are those of `treeLayers`. Paths that steer agents are laid out as
 * `configurationFrom` (default: the start commit) has them, and named when that is not as given. Done again it changes
 * nothing. Two at once for the same tree are not provided for.
 */
export function layOutTree(options: {
  tree: string;
  start: string;
  configurationFrom?: string;
}): CollectorOperation<{ tree: string; startTree: string } & Withheld> {
  return {
    name: 'lay_out_tree',
    params: {
      tree: requireOid(options.tree, 'the given tree'),
      start: requireOid(options.start, 'the start commit'),
      configuration: configurationParams(options.configurationFrom ?? options.start),
    },
    result: z.strictObject({ tree: oid, startTree: oid, ...WithheldShape }),
  };
}
