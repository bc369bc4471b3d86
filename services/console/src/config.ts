/** What the console reads from its environment: where it listens, which teams it shows, and by what it knows the operator. */
import { z } from 'zod';

export const CONFIG = {
  values: {
    HOST: z.string().min(1).default('127.0.0.1'),
    /** 0 takes any free port; the log line `listening` says which. */
    PORT: z.coerce.number().int().min(0).max(65_535).default(8081),
    /** The file of teams that the gate is given, to be shown; without it only the shipped ones are, and what ran. */
    TEAMS_FILE: z.string().min(1).optional(),
  },
  secrets: {
    /** Whoever reads this file cannot log in with it: the token itself is kept by the operator alone. */
    OPERATOR_TOKEN_SHA256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'give the SHA-256 of the operator token as 64 hexadecimal digits'),
  },
};
