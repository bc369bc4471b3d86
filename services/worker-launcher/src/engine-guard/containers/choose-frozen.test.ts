import { expect, test } from 'vitest';
import { chooseFrozen, scopesOf } from './choose-frozen.ts';
import type { Lent } from './container-labels.ts';

const lent = (parts: Partial<Lent>): Lent => ({ reads: [], writes: [], holding: [], ...parts });
const collector = { id: 'collector', lent: lent({ writes: ['runs/r'], reads: ['mirrors/1'] }) };
const step = {
  id: 'step',
  lent: lent({ writes: ['runs/r/steps/s/out'], reads: ['runs/r/steps/s/in'] }),
};

test('who may write above a directory is held still while it is mounted', () => {
  expect(chooseFrozen(lent({ reads: ['runs/r/steps/t/in'] }), [collector, step])).toEqual([
    'collector',
  ]);
  expect(chooseFrozen(lent({ writes: ['runs/r/steps/t/view/upper'] }), [collector])).toEqual([
    'collector',
  ]);
});

test('who writes elsewhere, in the directory itself, or below it runs on', () => {
  const others = [collector, step];
  expect(chooseFrozen(lent({ reads: ['runs/r2/steps/t/in'] }), others)).toEqual([]);
  expect(chooseFrozen(lent({ writes: ['runs/r'] }), others)).toEqual([]);
  expect(chooseFrozen(lent({ reads: ['mirrors/1'] }), others)).toEqual([]);
});

test('where something is mounted inside, also who writes in it or below is held still', () => {
  expect(
    chooseFrozen(lent({ writes: ['runs/r'], holding: ['runs/r'] }), [collector, step]),
  ).toEqual(['collector', 'step']);
});

test('scopes come in one order, each once', () => {
  expect(
    scopesOf(lent({ reads: ['runs/r/history.git', 'mirrors/1'], writes: ['runs/r/steps/s/out'] })),
  ).toEqual(['mirrors/1', 'runs/r']);
});
