/**
 * Lays out the worktree of a step: raw bytes into a fresh directory, and a throw-away `.git` for the agent that shows the
 * start commit's history (and, above it, one commit with what earlier steps did). No collector ever reads that `.git`.
 */
import { requireOid } from '@sallyport/git/oid';
import { z } from 'zod';
import { configurationParams, WithheldShape, type Withheld } from './configuration.ts';
import type { CollectorOperation } from './operation.ts';

/**
 * `key` names the attempt (`stepDirectories`); `tree` may be a tree or a commit. Paths that steer agents are laid out as
 * `configurationFrom` (default: the start commit) has them. Fails with `step_exists` on a used key. Of the
 * environment that the request lends, the paths `environment` are copied into the tree.
 */
export function materialize(options: {
  key: string;
  tree: string;
  start: string;
  configurationFrom?: string;
  environment?: readonly string[];
}): CollectorOperation<{ tree: string } & Withheld> {
  return {
    name: 'materialize',
    params: {
      key: options.key,
      tree: requireOid(options.tree, 'the given tree'),
      start: requireOid(options.start, 'the start commit'),
      environment: options.environment ?? [],
      configuration: configurationParams(options.configurationFrom ?? options.start),
    },
    result: z.strictObject({ tree: z.string(), ...WithheldShape }),
  };
}
