/** What the importer reads from its environment: no key, no token, no way to GitHub. */
import { z } from 'zod';

export const CONFIG = {
  values: {
    STATE_DIR: z.string().startsWith('/', 'use an absolute path'),
    /** `none` runs the import child without a sandbox; only by explicit choice. */
    IMPORT_ISOLATION: z.enum(['bubblewrap', 'none']).default('bubblewrap'),
  },
  secrets: { TICKET_PUBLIC_KEYS: z.string().min(1) },
};
