/**
 * The branch that a task's work is published on: derived from the task alone, so that choosing twice chooses the same, and
 * the publisher can say which it must be without believing the one who chose.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { BRANCH_PATTERN } from '../ticket/claims.ts';
import { AppError } from '../errors.ts';

/** The setting of gate and publisher; a branch named like the prefix itself would block them all. */
export const BRANCH_PREFIX = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,30}$/, 'use lower-case letters, digits and -')
  .default('agent');

/** `<prefix>/issue-<number>-<8 hex>`. @throws AppError `bad_config` for a prefix that no ticket may carry. */
export function branchName(prefix: string, issueNumber: number, taskId: string): string {
  const tail = createHash('sha256').update(taskId).digest('hex').slice(0, 8);
  const name = `${prefix}/issue-${issueNumber}-${tail}`;
  if (!BRANCH_PATTERN.test(name)) {
    throw new AppError(
      'bad_config',
      `BRANCH_PREFIX ${JSON.stringify(prefix)}: use lower-case letters, digits and -`,
    );
  }
  return name;
}
