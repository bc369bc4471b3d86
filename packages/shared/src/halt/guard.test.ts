import { expect, it } from 'vitest';
import type { Queryable } from '../db/pool.ts';
import { createLogger } from '../log.ts';
import { createHaltGuard, viewOf } from './guard.ts';

const since = new Date();
const halt = (scope: string, level: 'drain' | 'stop') => ({
  scope,
  level,
  reason: 'r',
  by: 'b',
  since,
});

it('covers a repository by its own halt and by the halt of everything, the strictest first', () => {
  expect(viewOf({ version: 1, halts: [] }, 7).kind).toBe('clear');
  expect(viewOf({ version: 1, halts: [halt('repo:8', 'stop')] }, 7).kind).toBe('clear');
  expect(viewOf({ version: 1, halts: [halt('repo:7', 'drain')] }, 7)).toMatchObject({
    level: 'drain',
    scope: 'repo:7',
  });
  expect(
    viewOf({ version: 1, halts: [halt('all', 'drain'), halt('repo:7', 'stop')] }, 7),
  ).toMatchObject({ level: 'stop' });
});

it('is halted before the first read and while the halt cannot be read, and clear again when it can', async () => {
  let broken = true;
  const db = {
    query: () =>
      broken
        ? Promise.reject(new Error('no database'))
        : Promise.resolve({ rows: [{ version: '0', halts: null }] }),
  } as unknown as Queryable;
  const guard = createHaltGuard({
    db,
    listener: { on: () => {}, close: () => Promise.resolve() },
    log: createLogger('test', 'silent'),
  });
  try {
    expect(guard.view(1)).toMatchObject({ kind: 'halted', level: 'drain' });
    await expect(guard.assertClear(1)).rejects.toMatchObject({ code: 'halted' });
    broken = false;
    await expect(guard.assertClear(1)).resolves.toBeUndefined();
    broken = true;
    await expect(guard.assertClear(1)).rejects.toMatchObject({ code: 'halted' });
  } finally {
    guard.stop();
  }
});

it('is halted while the database does not answer at all', async () => {
  const db = { query: () => new Promise(() => {}) } as unknown as Queryable;
  const guard = createHaltGuard({
    db,
    listener: { on: () => {}, close: () => Promise.resolve() },
    log: createLogger('test', 'silent'),
  });
  try {
    await expect(guard.assertClear(1)).rejects.toMatchObject({ code: 'halted' });
  } finally {
    guard.stop();
  }
});
