import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { READ_ONLY_LEVELS } from '../restriction-words.ts';
import { addRestrictions, RESTRICTION_SOURCES, type Restriction } from './restrictions.ts';

describe('restrictions', () => {
  test('add up, whoever demands them, and name who did', () => {
    expect(addRestrictions([])).toBeNull();
    expect(addRestrictions([{ source: 'node', readOnly: false, level: 'noShell' }])).toBeNull();
    expect(
      addRestrictions([
        { source: 'agent', readOnly: true },
        { source: 'task', readOnly: true },
        { source: 'node', readOnly: false },
      ]),
    ).toEqual({ level: 'reflex', by: ['task', 'agent'] });
  });

  test('a stricter level holds as soon as anything makes the step read-only', () => {
    expect(
      addRestrictions([
        { source: 'task', readOnly: true, level: 'reflex' },
        { source: 'node', readOnly: false, level: 'noShell' },
      ]),
    ).toEqual({ level: 'noShell', by: ['task'] });
  });

  test('none takes back what another demands', () => {
    const restriction: fc.Arbitrary<Restriction> = fc.record({
      source: fc.constantFrom(...RESTRICTION_SOURCES),
      readOnly: fc.boolean(),
      level: fc.constantFrom(...READ_ONLY_LEVELS, undefined),
    });
    fc.assert(
      fc.property(fc.array(restriction), restriction, (some, more) => {
        const before = addRestrictions(some);
        const after = addRestrictions([...some, more]);
        if (before === null) return;
        expect(after?.by).toEqual(expect.arrayContaining(before.by));
        expect(READ_ONLY_LEVELS.indexOf(after?.level ?? 'reflex')).toBeGreaterThanOrEqual(
          READ_ONLY_LEVELS.indexOf(before.level),
        );
      }),
    );
  });
});
