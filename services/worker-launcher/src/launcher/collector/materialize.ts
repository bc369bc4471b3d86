/**
 * Lays out the worktree of a step: raw bytes into a fresh directory, and a throw-away `.git` for the agent that shows the
 * start commit's history (and, above it, one commit with what earlier steps did). No collector ever reads that `.git`.
 */
import { requireOid } from '@sallyport/git/oid';
import { z } from 'zod';
import type { CollectorOperation } from './operation.ts';

/** `key` names the attempt (`stepDirectories`); `tree` may be a tree or a commit. Fails with `step_exists` on a used key. */
export function materialize(options: {
  key: string;
  tree: string;
  start: string;
}): CollectorOperation<{ tree: string }> {
  return {
    name: 'materialize',
    params: {
      key: options.key,
      tree: requireOid(options.tree, 'the given tree'),
      start: requireOid(options.start, 'the start commit'),
    },
    result: z.strictObject({ tree: z.string() }),
  };
}
