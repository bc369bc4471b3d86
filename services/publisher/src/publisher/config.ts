/** What the publisher reads from its environment. It alone is given the App's private key. */
import { BRANCH_PREFIX } from '@sallyport/shared/task/branch-name';
import { z } from 'zod';

const url = z
  .url({ protocol: /^https?$/, message: 'use an https URL' })
  .transform((value) => value.replace(/\/+$/, ''));

export const CONFIG = {
  values: {
    GITHUB_API_URL: url.default('https://api.github.com'),
    /** Where git fetches from and pushes to. */
    GITHUB_URL: url.default('https://github.com'),
    GITHUB_APP_ID: z.coerce.number({ message: 'use the App id, a number' }).int().positive(),
    STATE_DIR: z.string().startsWith('/', 'use an absolute path'),
    /** JSON of the policy; the built-in one when it is not set. */
    POLICY_FILE: z.string().min(1).optional(),
    /** The gate's too: a ticket that names another branch is refused. */
    BRANCH_PREFIX,
    /** Whether git children get a sandbox of their own: `auto` where the host gives one, with a warning where not. */
    GIT_ISOLATION: z.enum(['auto', 'bubblewrap', 'none']).default('auto'),
  },
  secrets: {
    GITHUB_APP_KEY: z.string().min(1),
    TICKET_PUBLIC_KEYS: z.string().min(1),
  },
};
