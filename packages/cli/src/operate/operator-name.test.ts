import { expect, it } from 'vitest';
import { operatorName } from './operator-name.ts';

it('names the account', () => {
  expect(operatorName(() => ({ username: 'ada' }))).toBe('ada (command line)');
});

it('names the number of a user without an account, as containers have them', () => {
  const name = operatorName(() => {
    throw new Error('uv_os_get_passwd returned ENOENT (no such file or directory)');
  });
  expect(name).toBe(`user ${process.getuid?.()} (command line)`);
});
