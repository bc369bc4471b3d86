/** What the guard is given: an engine, a place for its directories, the images, and the most that a sandbox may have. */
import { z } from 'zod';
import { IMAGE_PATTERN } from './containers/image-list.ts';

const GIB = 1024 ** 3;
// Becomes part of the options of a mount, which are one string with separators of its own.
const plainPath = z
  .string()
  .max(200)
  .regex(
    /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)+$/,
    'give an absolute path of letters, digits, "_", "-" and "."',
  );
/** Neither root nor a number that distributions give to people. */
const sandboxNumber = z.coerce.number().int().min(10_000).max(4_000_000_000);
const seconds = z.coerce.number().int().min(1).max(3_600);

function list(what: string, pattern: RegExp) {
  return z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .refine((all) => all.every((one) => pattern.test(one)), `give ${what}, separated by commas`);
}

export const CONFIG = {
  values: {
    /** The engine's socket. Whoever may write to it owns the host: nobody but the guard. */
    ENGINE_SOCKET: plainPath.default('/var/run/docker.sock'),
    /** Where launchers find the guard; its directory must be there. */
    GUARD_SOCKET: plainPath,
    /** The group of that socket: the launcher's. */
    SOCKET_GID: z.coerce.number().int().min(0).optional(),
    /** The directories that sandboxes work on, made and removed by the guard alone. */
    GUARD_ROOT: plainPath,
    /** The same directory by the name that it has for the engine, where the guard itself runs in a container. */
    GUARD_ROOT_ON_HOST: plainPath.optional(),
    IMAGES: list('ids (sha256:…) or names with digests (name@sha256:…) of images', IMAGE_PATTERN),
    /** Directories of the host that environments may read: `name=/path`, separated by commas. */
    LENT_DIRECTORIES: z
      .string()
      .default('')
      .refine(
        (text) => text === '' || readLentDirectories(text) !== undefined,
        'give name=/absolute/path, separated by commas',
      ),
    SANDBOX_UID: sandboxNumber.default(20_000),
    SANDBOX_GID: sandboxNumber.default(20_000),
    /** A runtime of the engine with a stronger wall, such as runsc. */
    RUNTIME: z
      .string()
      .regex(/^[a-zA-Z0-9._-]{1,60}$/)
      .optional(),
    USERNS: z.enum(['as_it_is', 'remap_required']).default('as_it_is'),
    MAX_MEMORY_BYTES: z.coerce
      .number()
      .int()
      .min(6 * 1024 ** 2)
      .default(8 * GIB),
    MAX_CPUS: z.coerce.number().min(0.01).max(1_024).default(4),
    MAX_PIDS: z.coerce.number().int().min(1).default(2_048),
    MAX_CONTAINERS: z.coerce.number().int().min(1).default(64),
    /** For how long a launcher that says nothing counts as alive. */
    LEASE_SECONDS: seconds.default(30),
    REAP_SECONDS: seconds.default(60),
  },
  secrets: {},
};

/** The directories by name; undefined when the text is not of that form. */
export function readLentDirectories(text: string): ReadonlyMap<string, string> | undefined {
  const directories = new Map<string, string>();
  for (const entry of text === '' ? [] : text.split(',')) {
    const [, name, path] = /^ *([a-z0-9][a-z0-9-]{0,79})=(\/.*?) *$/.exec(entry) ?? [];
    if (name === undefined || !plainPath.safeParse(path).success || directories.has(name)) {
      return undefined;
    }
    directories.set(name, path ?? '');
  }
  return directories;
}
