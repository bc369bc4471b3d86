import { describe, expect, test } from 'vitest';
import { READ_ONLY_LEVELS } from '../restriction-words.ts';
import { ADAPTERS, findAdapter } from './adapters.ts';
import { findFlag } from './arguments/grammar.ts';
import { isVerified, newestVerified } from './verification.ts';

test('adapters are found by every name, and no two share one', () => {
  const names = ADAPTERS.flatMap((adapter) => [adapter.cli, ...adapter.aliases]);
  expect(new Set(names).size).toBe(names.length);
  expect(findAdapter('claude-code')?.cli).toBe('claude');
  expect(findAdapter('kilo')).toBeUndefined();
});

describe.each(ADAPTERS.map((adapter) => [adapter.cli, adapter] as const))('%s', (_, adapter) => {
  test('knows every flag that it adds, takes out or refuses', () => {
    const levels = READ_ONLY_LEVELS.map((level) => adapter.levels[level]);
    const modes = Object.values(adapter.autonomy.modes);
    const flags = [
      adapter.modelFlag,
      ...levels.flatMap((l) => [...l.adds, ...l.removes]).map((f) => f.flag),
      ...modes.flatMap((mode) => mode.adds).map((f) => f.flag),
      ...[
        ...adapter.autonomy.replaces,
        ...adapter.hardening.adds,
        ...adapter.hardening.removes,
      ].map((f) => f.flag),
      ...(adapter.refuses?.flags ?? []),
      ...(adapter.fileFlags ?? []),
    ];
    expect(flags.filter((flag) => findFlag(adapter.grammar, flag) === undefined)).toEqual([]);
    expect(Object.keys(adapter.autonomy.modes)).toContain(adapter.autonomy.usual);
  });

  test('spells no flag twice', () => {
    const spellings = adapter.grammar.flags.flatMap((flag) => flag.names);
    expect(spellings.filter((name, i) => spellings.indexOf(name) !== i)).toEqual([]);
  });

  test('claims more without the shell, and is verified for that in its newest version alone', () => {
    const { reflex, noShell } = adapter.levels;
    expect(noShell.refuses).toEqual(expect.arrayContaining([...reflex.refuses]));
    expect(reflex.leavesOpen.length * noShell.leavesOpen.length).toBeGreaterThan(0);
    const newest = newestVerified(adapter);
    expect(isVerified(adapter, newest, 'noShell')).toBe(true);
    expect(isVerified(adapter, `${newest ?? ''}1`, 'noShell')).toBe(false);
    expect(isVerified(adapter, undefined, 'noShell')).toBe(false);
  });
});

test('only the level that nobody ran is not verified', () => {
  const open = ADAPTERS.filter(
    (adapter) => !isVerified(adapter, newestVerified(adapter), 'reflex'),
  );
  expect(open.map((adapter) => adapter.cli)).toEqual(['opencode']);
});
