/**
 * The agent CLIs that the operator offers, from one JSON file. What stands in it is all that an agent's sandbox is lent
 * besides its task, so a mistake must be a refusal at start and never a surprise inside.
 */
import { isAbsolute, normalize } from 'node:path';
import { parseOperatorFile } from '@sallyport/shared/operator-file';
import { scrubSecrets } from '@sallyport/shared/scrub';
import { z } from 'zod';

const path = z
  .string()
  .max(4096)
  .refine(
    (p) => isAbsolute(p) && normalize(p) === p && p !== '/',
    'give an absolute path in its shortest form, not "/"',
  );
/** Places inside a sandbox that belong to the step; nothing of an agent may be laid over them. */
const STEP_PLACES = ['/work', '/in', '/out', '/proc', '/dev', '/etc'] as const;

const AgentSchema = z.strictObject({
  /** The program inside the sandbox and its arguments; those of a team's node are added behind. */
  argv: z.tuple([path], z.string().max(10_000)),
  /** The version of the program, by which one knows whether its read-only rule was seen to hold. */
  version: z
    .string()
    .regex(/^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$/, 'give the version alone, such as 1.2.3')
    .optional(),
  /** True: wherever this agent is used it may not write. */
  readOnly: z.boolean().default(false),
  /** Lent read-only. */
  mounts: z
    .array(
      z.strictObject({
        host: path,
        inside: path.refine(
          (p) => !STEP_PLACES.some((place) => p === place || p.startsWith(`${place}/`)),
          `must lie outside ${STEP_PLACES.join(', ')}`,
        ),
      }),
    )
    .max(50)
    .default([]),
  env: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
      z
        .string()
        .max(10_000)
        .refine((v) => scrubSecrets(v) === v, 'looks like a credential; a sandbox holds none'),
    )
    .default({}),
});
export type Agent = z.infer<typeof AgentSchema>;
export type Agents = ReadonlyMap<string, Agent>;

const AgentsSchema = z.record(z.string().regex(/^[a-z][a-z0-9-]{0,39}$/), AgentSchema);

/**
 * Reads the file.
 * @throws AppError `bad_config` that names the file, every place in it that is wrong, and what to write there.
 */
export function readAgents(file: string): Agents {
  const form = '{"<cli>": {"argv": ["/path/inside"]}}';
  const agents = parseOperatorFile({ variable: 'AGENTS_FILE', path: file, form }, AgentsSchema);
  return new Map(Object.entries(agents));
}
