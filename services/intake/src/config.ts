/** What intake reads from its environment: where it listens, and the secret that it shares with GitHub. */
import { z } from 'zod';

const secret = z.string().min(16, 'use a secret of at least 16 characters');

export const CONFIG = {
  values: {
    HOST: z.string().min(1).default('127.0.0.1'),
    /** 0 takes any free port; the log line `listening` says which. */
    PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  },
  secrets: {
    WEBHOOK_SECRET: secret,
    /** The secret before the last change; deliveries signed with it are accepted while both are set. */
    WEBHOOK_SECRET_PREVIOUS: secret.optional(),
  },
};
