/**
 * What a launcher may say about a container it wants. Everything that makes the wall is missing on purpose: it is written
 * by the guard, and a field that is not listed here is refused, not ignored.
 */
import { AppError } from '@sallyport/shared/errors';
import { z } from 'zod';

const MAX_WORD = 131_072;
const MIB = 1024 * 1024;
/** The engine's own least. */
const LEAST_MEMORY_BYTES = 6 * MIB;
const PATH = /^(?:\/[A-Za-z0-9._-]+)+$/;
/** Directories that the engine makes, or in which something mounted would change the machine that the program sees. */
const OWN_DIRECTORIES: ReadonlySet<string> = new Set(['proc', 'sys', 'dev']);

const word = z
  .string()
  .max(MAX_WORD)
  .refine((text) => !text.includes('\0') && !/\p{Surrogate}/u.test(text), 'no text for a program');
const path = z
  .string()
  .max(1_000)
  .refine(isPlainPath, 'give an absolute path without "." and ".."');
const target = path.refine(
  (text) => !OWN_DIRECTORIES.has(text.split('/')[1] ?? ''),
  'nothing is mounted below /proc, /sys, /dev',
);
const name = z.string().min(1).max(400);
const label = z.string().regex(/^[\x20-\x7e]{1,200}$/);
const count = z.int().min(1);

const Mount = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('directory'), name, target, readOnly: z.boolean() }),
  z.strictObject({
    kind: z.literal('overlay'),
    /** The topmost first. */
    layers: z.array(name).min(1).max(16),
    view: name,
    target,
    readOnly: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('tmpfs'), target, sizeBytes: count }),
  /** A directory of the host that the guard's operator lends by name, always to read. */
  z.strictObject({ kind: z.literal('lent'), name, target }),
]);
export type RequestedMount = z.infer<typeof Mount>;

const CreateBodySchema = z.strictObject({
  Image: z.string().max(300),
  Cmd: z
    .array(word)
    .min(1)
    .max(512)
    .refine(([program = '']) => program.startsWith('/'), 'the program is an absolute path'),
  Env: z
    .array(word.regex(/^[A-Za-z_][A-Za-z0-9_]*=/, 'write NAME=value'))
    .max(512)
    .refine((all) => new Set(all.map(variableOf)).size === all.length, 'a variable is given twice'),
  WorkingDir: path,
  Labels: z.strictObject({
    lease: z.string().regex(/^[a-z0-9][a-z0-9-]{0,79}$/),
    task: label.optional(),
    run: label.optional(),
    step: label.optional(),
    node: label.optional(),
    kind: label.optional(),
  }),
  Limits: z.strictObject({
    memoryBytes: z.int().min(LEAST_MEMORY_BYTES),
    processes: count,
    cpus: z.number().min(0.01).optional(),
    fileBytes: count.max(2 ** 44),
    openFiles: count.max(65_536),
    tmpBytes: count,
  }),
  Mounts: z.array(Mount).max(64),
  OpenStdin: z.boolean(),
});
export type CreateBody = z.infer<typeof CreateBodySchema>;

/** The most that one sandbox is given. */
export interface Ceilings {
  memoryBytes: number;
  cpus: number;
  processes: number;
}

/**
 * The body of a create, parsed and within the ceilings.
 * @throws AppError `bad_input` for what cannot be said, `forbidden` for too much; the message names the field.
 */
export function parseCreateBody(value: unknown, ceilings: Ceilings): CreateBody {
  const parsed = CreateBodySchema.safeParse(value);
  if (!parsed.success) {
    const words = parsed.error.issues.map(
      (i) => `${i.path.map(String).join('.') || 'the body'}: ${i.message}`,
    );
    throw new AppError('bad_input', words.join('; ').slice(0, 1_000));
  }
  const { Limits, Mounts } = parsed.data;
  requireAtMost('Limits.memoryBytes', Limits.memoryBytes, ceilings.memoryBytes);
  requireAtMost('Limits.cpus', Limits.cpus ?? 0, ceilings.cpus);
  requireAtMost('Limits.processes', Limits.processes, ceilings.processes);
  requireAtMost('Limits.tmpBytes', Limits.tmpBytes, Limits.memoryBytes);
  for (const mount of Mounts) {
    if (mount.kind === 'tmpfs') requireAtMost('a tmpfs', mount.sizeBytes, Limits.memoryBytes);
  }
  const targets = Mounts.map((mount) => mount.target);
  const twice = targets.find((one, i) => targets.indexOf(one) !== i);
  if (twice !== undefined) throw new AppError('bad_input', `Mounts: two are for ${twice}`);
  return parsed.data;
}

function requireAtMost(field: string, asked: number, ceiling: number): void {
  if (asked <= ceiling) return;
  throw new AppError(
    'forbidden',
    `${field}: ${asked} is more than the ${ceiling} that a sandbox may have here`,
  );
}

function isPlainPath(text: string): boolean {
  return PATH.test(text) && !text.split('/').some((part) => part === '.' || part === '..');
}

function variableOf(entry: string): string {
  return entry.slice(0, entry.indexOf('='));
}
