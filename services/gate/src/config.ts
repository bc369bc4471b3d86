/** What the gate reads from its environment: which App it serves, what may run, and the key that signs tickets. */
import { BRANCH_PREFIX } from '@sallyport/shared/task/branch-name';
import { z } from 'zod';

const count = z.coerce.number().int().positive();

export const CONFIG = {
  values: {
    GITHUB_APP_ID: count,
    GITHUB_APP_SLUG: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,99}$/, 'use the slug in the URL of the App'),
    /** Teams that may be asked for; without it there are the built-in one and the shipped ones. */
    TEAMS_FILE: z.string().min(1).optional(),
    /** What may leave; without it the built-in policy holds. */
    POLICY_FILE: z.string().min(1).optional(),
    /** The publisher's too: it refuses a ticket that names another branch. */
    BRANCH_PREFIX,
    ASSESS_TIMEOUT_SECONDS: count.default(600),
    RUN_WALL_SECONDS: count.default(3600),
    RUN_TOKENS: count.default(5_000_000),
    RUN_COST_MICROUSD: count.default(20_000_000),
    RUN_STEPS: count.default(50),
  },
  secrets: { TICKET_KEY: z.string().min(1) },
};
