/** The branch that a task's work is published on. Chosen once; derived from the task alone, so that choosing twice chooses the same. */
import { createHash } from 'node:crypto';
import { BRANCH_PATTERN } from '@sallyport/shared/ticket/claims';
import { AppError } from '@sallyport/shared/errors';

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
