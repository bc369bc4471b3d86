/**
 * What an operator may set about the policy: bounds and allow-lists, each with a safe default. The hash of the effective
 * values stands in the ticket, so a policy that changed after admission, or that a change brought with it, is not used.
 */
import { AppError } from '@sallyport/shared/errors';
import { z } from 'zod';
import { hashJson } from './canonical-json.ts';

const MIB = 1024 * 1024;
const bound = (standard: number): z.ZodDefault<z.ZodInt> => z.int().positive().default(standard);

const LimitsSchema = z.strictObject({
  files: bound(300),
  /** Added and deleted lines together. */
  lines: bound(5_000),
  /** Bytes of all new contents together. */
  totalBytes: bound(4 * MIB),
  fileBytes: bound(MIB),
  lineChars: bound(20_000),
  pathBytes: z.int().positive().max(4_096).default(512),
  componentBytes: bound(255),
  depth: bound(32),
  commits: bound(50),
});
export type Limits = z.infer<typeof LimitsSchema>;

const BinaryAllowanceSchema = z.strictObject({
  /** With its dot, lower case: `.png`. */
  extension: z.string().regex(/^\.[a-z0-9]{1,16}$/),
  maxBytes: z.int().positive(),
});

const TextLimitsSchema = z.strictObject({
  titleChars: z.int().positive().max(200).default(200),
  bodyChars: z.int().positive().max(10_000).default(10_000),
});

export const PolicyConfigSchema = z.strictObject({
  limits: LimitsSchema.prefault({}),
  text: TextLimitsSchema.prefault({}),
  /** Binary files that may be added or changed. */
  allowBinary: z.array(BinaryAllowanceSchema).max(64).default([]),
  /** New paths may hold characters beyond ASCII. */
  allowUnicodeNames: z.boolean().default(false),
  /** SHA-256 (hex) of exact values that look like secrets and are none. */
  allowSecretHashes: z
    .array(z.string().regex(/^[0-9a-f]{64}$/))
    .max(1_000)
    .default([]),
  /** Publish drafts onto repositories whose base no rule protects, or whose protection cannot be read. */
  allowUnprotected: z.boolean().default(false),
});
export type PolicyConfig = z.infer<typeof PolicyConfigSchema>;

/** The policy with every default filled in. @throws AppError `bad_config` naming each key that is unknown or out of bounds. */
export function parsePolicyConfig(input: unknown): PolicyConfig {
  const parsed = PolicyConfigSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => {
    const where = path.length === 0 ? 'at the top' : `at ${path.join('.')}`;
    return `${where}: ${message}`;
  });
  throw new AppError('bad_config', `reading the policy: ${problems.join('; ')}`);
}

export const DEFAULT_POLICY: PolicyConfig = parsePolicyConfig({});

/** The hash for the ticket: equal for equal effective values, whatever was spelled out and in which order. */
export function hashPolicy(config: PolicyConfig): string {
  return hashJson(PolicyConfigSchema.parse(config));
}
