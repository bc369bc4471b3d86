/** What every process of a deployment is told, whatever else it holds. */
import { z } from 'zod';
import { LOG_LEVELS } from './log.ts';

export const COMMON_VALUES = {
  DEPLOYMENT_ID: z
    .string()
    .regex(
      /^[a-z][a-z0-9_]{1,23}$/,
      'use lower-case letters, digits and _, starting with a letter',
    ),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
};
