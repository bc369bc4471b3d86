import { expect, test } from 'vitest';
import { isBelow, isNameOf, requireName, scopeOf, type NameUse } from './names.ts';

const RUN = 'runs/0190f7e4-0000-7000-8000-000000000000-3';
const TREE = `${RUN}/trees/${'a1'.repeat(20)}`;

test.each<[NameUse, string]>([
  ['lent', 'mirrors/42'],
  ['lent', RUN],
  ['lent', `${RUN}/history.git`],
  ['lent', `${TREE}/git/.git`],
  ['lent', `${RUN}/steps/s-1/tree/.git`],
  ['lent', `${RUN}/steps/s-1/in/.docker`],
  ['layer', `${RUN}/steps/s-1/view/upper`],
  ['layer', `environments/42/${'b'.repeat(64)}-0123456789ab/layer`],
  ['view', `${RUN}/steps/s-1/look`],
  ['written', `${RUN}/steps/s-1/in/read-only/.claude/settings.json`],
  ['read', `${RUN}/steps/s-1/out/hand-off.json`],
  ['removed', 'environments/42/e/uses/0190f7e4-3'],
])('%s: %s', (use, name) => {
  expect(isNameOf(use, name)).toBe(true);
});

test.each<[NameUse, string, string]>([
  ['lent', 'runs', 'runs/r'],
  ['lent', '/etc', 'runs/etc'],
  ['lent', '../etc', 'runs/etc'],
  ['lent', 'runs/..', 'runs/x'],
  ['lent', 'runs/../mirrors/1', 'mirrors/1'],
  ['lent', 'runs/r/', 'runs/r'],
  ['lent', 'runs/r\n', 'runs/r'],
  ['lent', 'runs/R', 'runs/r'],
  ['lent', 'runs/.r', 'runs/r'],
  ['lent', 'runs/r/steps/s', 'runs/r/steps/s/in'],
  ['lent', 'runs/r/steps/s/view', 'runs/r/steps/s/tree'],
  ['lent', 'runs/r/steps/s/in/..', 'runs/r/steps/s/in/a'],
  ['layer', 'runs/r/trees/t/git:/etc', 'runs/r/trees/t/git'],
  ['layer', 'runs/r/trees/t/git,upperdir=x', 'runs/r/trees/t/git'],
  ['layer', 'runs/r', 'runs/r/trees/t/files'],
  ['view', 'runs/r/steps/s/out', 'runs/r/steps/s/view'],
  ['made', 'runs/r/steps/s/view', 'runs/r/steps/s/out'],
  ['removed', 'runs', 'runs/r'],
  ['removed', 'runs/r/steps/s/in/x', 'runs/r/steps/s/in'],
  ['listed', 'runs/r', 'environments/42/e/uses'],
  ['written', 'runs/r/steps/s/out/x', 'runs/r/steps/s/in/x'],
  ['written', 'runs/r/steps/s/in/../out/x', 'runs/r/steps/s/in/out/x'],
  ['written', 'runs/r/steps/s/in/a/b/c/d/e', 'runs/r/steps/s/in/a/b/c/d'],
  ['read', 'runs/r/steps/s/in/x', 'runs/r/steps/s/out/x'],
  ['read', 'runs/r/steps/s/out/a/b', 'runs/r/steps/s/out/b'],
])('%s: %s is refused', (use, hostile, twin) => {
  expect(() => requireName(use, hostile)).toThrow('no name of the workspace');
  expect(requireName(use, twin)).toBe(twin);
});

test('a name lies below another only by whole parts', () => {
  expect(isBelow('runs/r/steps', 'runs/r')).toBe(true);
  expect(isBelow('runs/r', 'runs/r')).toBe(false);
  expect(isBelow('runs/r2/steps', 'runs/r')).toBe(false);
  expect(scopeOf('runs/r/steps/s/in')).toBe('runs/r');
});
