/**
 * What a project needs installed before its tests can run, as its `.sallyport/environment.yaml` or the operator says it:
 * commands, what they make, and what their outcome depends on. Strict, because a mistyped key would be a wrong cache key.
 */
import { z } from 'zod';
import { isAgentConfiguration } from '../readonly/agent-configuration.ts';
import { problemWithTreePath } from '../tree-path.ts';

const REGISTRY_PATTERN = /^[a-z][a-z0-9-]{0,39}$/;
/** Set by the launcher; a file that set one of them would change where programs come from. */
const FIXED_VARIABLES: readonly string[] = ['PATH', 'HOME', 'LD_PRELOAD', 'LD_LIBRARY_PATH'];

const treePath = z.string().superRefine((path, context) => {
  const problem = problemWithTreePath(path);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: `the path ${problem}` });
});

const text = z
  .string()
  .min(1)
  .max(10_000)
  .refine((value) => !value.includes('\0'), 'contains a NUL byte');

export const EnvironmentSchema = z.strictObject({
  v: z.literal(1),
  /** Run in this order at the root of the tree; a string is given to `/bin/sh -c`. */
  commands: z
    .array(z.union([text, z.array(text).min(1).max(200)], 'write a line of shell, or a list'))
    .min(1)
    .max(50),
  /** Files of the tree on whose content the outcome depends: the key of the cache. */
  lockfiles: z.array(treePath).min(1).max(100),
  /** What the commands make and steps are to see. Nothing else of what they write is kept. */
  produces: z
    .array(treePath)
    .min(1)
    .max(100)
    .superRefine((paths, context) => {
      for (const [i, path] of paths.entries()) {
        if (isAgentConfiguration(path)) {
          const message = `"${path}" steers agents; what does so stands in the commit itself`;
          context.addIssue({ code: 'custom', path: [i], message });
        }
        const outer = paths.find((other, j) => i !== j && isWithin(path, other, i > j));
        if (outer === undefined) continue;
        const message = `"${path}" is named already by "${outer}"; leave it out`;
        context.addIssue({ code: 'custom', path: [i], message });
      }
    }),
  /** For the commands alone. */
  env: z
    .record(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'is not the name of an environment variable')
        .refine((name) => !FIXED_VARIABLES.includes(name), 'is set by the launcher'),
      z
        .string()
        .max(10_000)
        .refine((value) => !value.includes('\0'), 'contains a NUL byte'),
    )
    .default({}),
  timeoutMinutes: z.int().min(1).max(120).default(15),
  network: z.enum(['none', 'registries']).default('none'),
  /** Registries of the operator, by name. */
  registries: z
    .array(z.string().regex(REGISTRY_PATTERN, 'is not the name of a registry'))
    .max(20)
    .default([]),
  /** One of the operator's images, by name, where sandboxes are made from images. */
  image: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/, 'is not the name of an image')
    .optional(),
});
/** An environment with its defaults filled in. */
export type Environment = z.infer<typeof EnvironmentSchema>;

/** Whether a path lies below another; one that is the same counts if `orSame`. */
function isWithin(path: string, other: string, orSame: boolean): boolean {
  return path.startsWith(`${other}/`) || (orSame && path === other);
}
