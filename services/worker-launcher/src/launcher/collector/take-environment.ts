/**
 * What an environment's commands made, as a layer for all steps of the runs that need it: the paths that it produces, and
 * nothing of the tree itself. Whatever is more than a layer may hold is refused, never cut short.
 */
import { requireOid } from '@sallyport/git/oid';
import { AGENT_CONFIGURATION_PATTERN } from '@sallyport/teams/readonly/agent-configuration';
import { z } from 'zod';
import type { CollectorOperation } from './operation.ts';

const MIB = 1024 * 1024;

export interface EnvironmentLimits {
  maxEntries: number;
  maxBytes: number;
  /** Separate paths: a directory that the tree does not have is one. */
  maxPaths: number;
}
export const ENVIRONMENT_LIMITS: EnvironmentLimits = {
  maxEntries: 500_000,
  maxBytes: 4096 * MIB,
  maxPaths: 1_000,
};

const count = z.int().min(0);

const TakenEnvironmentSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('taken'),
    /** The topmost paths that were taken: at or below those asked for, and not in the tree. */
    paths: z.array(z.string()),
    /** Paths asked for at which nothing was made that the tree does not have. */
    missing: z.array(z.string()),
    entries: count,
    bytes: count,
  }),
  z.strictObject({
    kind: z.literal('refused'),
    reason: z.enum([
      'link_in_path',
      'too_many_paths',
      'too_many_files',
      'too_large',
      'path_too_long',
    ]),
    message: z.string(),
  }),
]);
export type TakenEnvironment = z.infer<typeof TakenEnvironmentSchema>;

/**
 * Copies what the sandbox `key`, which was given the tree `given`, left at `produces` into the directory `layer` of the
 * request's environment. Paths that steer agents are left out. `layered` as for `takeTree`.
 */
export function takeEnvironment(options: {
  key: string;
  given: string;
  layered: boolean;
  produces: readonly string[];
  limits?: Partial<EnvironmentLimits>;
}): CollectorOperation<TakenEnvironment> {
  return {
    name: 'take_environment',
    params: {
      ...options,
      given: requireOid(options.given, 'the given tree'),
      leaveOut: AGENT_CONFIGURATION_PATTERN,
      limits: { ...ENVIRONMENT_LIMITS, ...options.limits },
    },
    result: TakenEnvironmentSchema,
  };
}
