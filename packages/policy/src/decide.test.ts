import { describe, expect, test } from 'vitest';
import { decide } from './decide.ts';
import type { Finding, Overrider, Severity } from './finding.ts';

function finding(severity: Severity, overridableBy: Overrider = 'approver'): Finding {
  return {
    rule: 'd02_exec_bit',
    code: 'exec_bit_set',
    severity,
    path: 'a',
    line: null,
    reason: 'It is so.',
    satisfiedBy: 'Something else.',
    overridableBy,
  };
}

describe('deciding', () => {
  test.each([
    ['nothing', [], 'publish'],
    ['a note', [finding('note')], 'publish'],
    ['a hold', [finding('hold')], 'hold'],
    ['a hold and a note', [finding('note'), finding('hold')], 'hold'],
    ['a block', [finding('block')], 'reject'],
    ['a block among holds', [finding('hold'), finding('block'), finding('hold')], 'reject'],
  ])('the verdict on %s', (_what, findings, verdict) => {
    expect(decide([{ rule: 'd02_exec_bit', findings }]).verdict).toBe(verdict);
  });

  test('nothing is published when no rule was asked', () => {
    expect(decide([]).verdict).toBe('reject');
    expect(decide([{ rule: 'd01_modes', findings: [] }]).verdict).toBe('publish');
  });

  test.each([
    ['approver', 'approver', 'publish'],
    ['approver', 'operator', 'hold'],
    ['operator', 'operator', 'publish'],
    ['operator', 'nobody', 'hold'],
  ] as const)('an approval by an %s of what an %s may override', (by, overridableBy, verdict) => {
    const answers = [{ rule: 'd02_exec_bit' as const, findings: [finding('hold', overridableBy)] }];
    expect(decide(answers, by).verdict).toBe(verdict);
    expect(decide(answers).verdict).toBe('hold');
  });

  test('no approval lifts a block', () => {
    const answers = [{ rule: 'd02_exec_bit' as const, findings: [finding('block', 'approver')] }];
    expect(decide(answers, 'operator').verdict).toBe('reject');
  });

  test('the tree shows per rule what decided', () => {
    const { reasons } = decide([
      { rule: 'd01_modes', findings: [] },
      { rule: 'd02_exec_bit', findings: [finding('hold')] },
    ]);
    expect(reasons.children.map(({ rule, result }) => [rule, result])).toEqual([
      ['d01_modes', 'publish'],
      ['d02_exec_bit', 'hold'],
    ]);
  });
});
