import { expect, test } from 'vitest';
import { createLocks } from './locks.ts';

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test('what shares a name comes one after the other, what does not at once', async () => {
  const locks = createLocks();
  const said: string[] = [];
  const act = (names: string[], what: string): Promise<void> =>
    locks.holding(names, async () => {
      said.push(`${what}+`);
      await pause();
      said.push(`${what}-`);
    });
  await Promise.all([act(['a', 'b'], 'one'), act(['b'], 'two'), act(['c'], 'three')]);
  const alone = said.filter((word) => !word.startsWith('three'));
  expect(alone.map((word) => word.at(-1))).toEqual(['+', '-', '+', '-']);
  expect(alone[0]?.slice(0, -1)).toBe(alone[1]?.slice(0, -1));
  expect(said.indexOf('three+')).toBeLessThan(said.indexOf('three-'));
  expect(said.indexOf('three+')).toBeLessThan(3);
});

test('a name is free again after work that failed', async () => {
  const locks = createLocks();
  await expect(locks.holding(['a'], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await locks.holding(['a'], () => Promise.resolve('yes'))).toBe('yes');
});
