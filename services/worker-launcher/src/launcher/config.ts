/** What a launcher is given: keys to check tickets with, never to sign them; where to work; which agents it knows. */
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { STEP_MOUNTS } from './run/work.ts';

const absolutePath = z.string().refine(isAbsolute, 'give an absolute path');

export const CONFIG = {
  values: {
    /** Owned by this launcher's user: mirrors of repositories, and a directory for each running step. */
    STATE_DIR: absolutePath,
    SANDBOX_DRIVER: z.enum(['bubblewrap']).default('bubblewrap'),
    /** JSON: per agent CLI its argument list, what it is lent of this host, and its environment. */
    AGENTS_FILE: absolutePath,
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
