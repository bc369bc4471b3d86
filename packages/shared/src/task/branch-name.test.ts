/** Branch names: chosen again they are the same, and no prefix can make one that a ticket may not carry. */
import { BRANCH_PATTERN } from '../ticket/claims.ts';
import { describe, expect, it } from 'vitest';
import { branchName } from './branch-name.ts';

const TASK = '019df000-0000-7000-8000-000000000001';

describe('branchName', () => {
  it('is the same whenever it is chosen, and another for another task', () => {
    expect(branchName('agent', 12, TASK)).toBe(branchName('agent', 12, TASK));
    expect(branchName('agent', 12, TASK)).toMatch(/^agent\/issue-12-[0-9a-f]{8}$/);
    expect(branchName('agent', 12, TASK)).not.toBe(
      branchName('agent', 12, TASK.replace(/1$/, '2')),
    );
  });

  it('is one that a ticket may carry, for every issue and prefix', () => {
    expect(branchName('b', 2_147_483_647, TASK)).toMatch(BRANCH_PATTERN);
    expect(branchName('a'.repeat(31), 1, TASK)).toMatch(BRANCH_PATTERN);
  });

  it.each(['', 'Agent', 'a/b', '-a', 'a..b', 'a b', 'refs/heads', 'a'.repeat(32)])(
    'refuses the prefix %j',
    (prefix) => {
      expect(() => branchName(prefix, 1, TASK)).toThrow(
        expect.objectContaining({ code: 'bad_config' }),
      );
    },
  );
});
