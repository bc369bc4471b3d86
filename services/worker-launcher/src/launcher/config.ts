/** What a launcher is given: keys to check tickets with, never to sign them; where to work; which agents it knows. */
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { STEP_MOUNTS } from './run/work.ts';
import { DRIVER_NAMES } from './sandbox/driver.ts';

const absolutePath = z.string().refine(isAbsolute, 'give an absolute path');

const IMAGE_MEND =
  'give sha256:… (docker image inspect --format {{.Id}} NAME) or name@sha256:…, not a tag';

export const CONFIG = {
  values: {
    /** Owned by this launcher's user: mirrors of repositories, and a directory for each running step. */
    STATE_DIR: absolutePath,
    SANDBOX_DRIVER: z.enum(DRIVER_NAMES).default('bubblewrap'),
    /** With `docker`: where engine-guard listens. */
    GUARD_SOCKET: absolutePath.optional(),
    /** With `docker`: what sandboxes are made of, by id or digest, so that it is the same tomorrow. */
    SANDBOX_IMAGE: z
      .string()
      .regex(/^([a-z0-9][a-z0-9._/:-]*@)?sha256:[0-9a-f]{64}$/, IMAGE_MEND)
      .optional(),
    /** JSON: per agent CLI its argument list, what it is lent of this host, and its environment. */
    AGENTS_FILE: absolutePath,
    /** JSON: registries, environments of repositories, and how much of what was made is kept. */
    ENVIRONMENTS_FILE: absolutePath.optional(),
    /** How many runs this process works on at once. */
    MAX_RUNS: z.coerce.number().int().min(1).max(64).default(2),
    /** How many steps of one run are at work at once, where its team allows several. */
    MAX_PARALLEL_STEPS: z.coerce.number().int().min(1).max(16).default(3),
    /** How steps see their tree; `auto` takes an overlay where the kernel allows one. */
    STEP_MOUNT: z.enum(['auto', ...STEP_MOUNTS]).default('auto'),
    /** After how long a launcher that says nothing more counts as dead. */
    LEASE_SECONDS: z.coerce.number().int().min(2).max(600).default(30),
  },
  secrets: {
    /** One or two PEM blocks. */
    TICKET_PUBLIC_KEYS: z.string().min(1),
  },
};
