import { describe, expect, test } from 'vitest';
import { ChangeSetSchema } from './change.ts';
import { judgeChange } from './judge.ts';
import { DEFAULT_POLICY } from './policy-config.ts';
import type { Rule } from './rule.ts';
import { makeChange, makeSet } from './testing/make-change.ts';

const config = DEFAULT_POLICY;
const plain = makeChange('src/sum.ts', 'a\n', 'a\nb\n');

describe('judging a change', () => {
  test('publishes a plain edit', async () => {
    const verdict = await judgeChange(makeSet([plain]), { config });
    expect(verdict.findings).toEqual([]);
    expect(verdict.verdict).toBe('publish');
  });

  test('rejects a change that changes nothing', async () => {
    const verdict = await judgeChange(makeSet([]), { config });
    expect(verdict.verdict).toBe('reject');
    expect(verdict.findings.map(({ code }) => code)).toEqual(['empty_change']);
  });

  test.each([
    [
      'throws',
      () => {
        throw new TypeError('secret text');
      },
    ],
    ['rejects', () => Promise.reject(new TypeError('secret text'))],
  ] as [string, Rule['check']][])(
    'rejects when a rule %s, and does not repeat its words',
    async (_how, check) => {
      const rules: Rule[] = [
        { id: 'd01_modes', check },
        { id: 'd02_exec_bit', check: () => [] },
      ];
      const verdict = await judgeChange(makeSet([plain]), { config, rules });
      expect(verdict.verdict).toBe('reject');
      expect(verdict.findings.map(({ code, rule }) => [code, rule])).toEqual([
        ['rule_failed', 'd01_modes'],
      ]);
      expect(JSON.stringify(verdict)).not.toContain('secret text');
    },
  );

  test('publishes when the same rules answer', async () => {
    const rules: Rule[] = [
      { id: 'd01_modes', check: () => [] },
      { id: 'd02_exec_bit', check: () => [] },
    ];
    expect((await judgeChange(makeSet([plain]), { config, rules })).verdict).toBe('publish');
  });

  test('an approval releases a hold, and not the block beside it', async () => {
    const held = makeSet([makeChange('run.sh', 'a\n', 'a\n', { newMode: '100755' })]);
    expect((await judgeChange(held, { config })).verdict).toBe('hold');
    expect((await judgeChange(held, { config, releasedBy: 'approver' })).verdict).toBe('publish');
    const blocked = makeSet([
      ...held.changes,
      makeChange('.github/workflows/ci.yml', 'a\n', 'b\n'),
    ]);
    expect((await judgeChange(blocked, { config, releasedBy: 'operator' })).verdict).toBe('reject');
  });
});

describe('a change set at the border', () => {
  test('takes what a reader made', () => {
    expect(ChangeSetSchema.parse(JSON.parse(JSON.stringify(makeSet([plain]))))).toEqual(
      makeSet([plain]),
    );
  });

  test.each([
    ['an unknown key', { extra: 1 }],
    ['a side called text without its text', { newText: null }],
    ['a text on a side called binary', { newContent: 'binary', newBinary: true }],
    ['an object name that is none', { newOid: 'HEAD' }],
    ['a mode that is none', { newMode: '644' }],
  ])('refuses %s', (_what, over) => {
    const set = makeSet([{ ...plain, ...over } as typeof plain]);
    expect(ChangeSetSchema.safeParse(set).success).toBe(false);
  });
});
