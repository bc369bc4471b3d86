import { expect, test } from 'vitest';
import { planMounts } from './plan-mounts.ts';

const PLACES = { rootOnHost: '/guard', lentDirectories: new Map([['npm', '/srv/npm']]) };
const TREE = 'runs/r/trees/t';
const STEP = 'runs/r/steps/s';

test('directories become binds below the root, and are told apart by what may be written', () => {
  const { mounts, lent } = planMounts(
    [
      { kind: 'directory', name: `${STEP}/in`, target: '/in', readOnly: true },
      { kind: 'directory', name: `${STEP}/out`, target: '/out', readOnly: false },
      { kind: 'lent', name: 'npm', target: '/registry/npm' },
      { kind: 'tmpfs', target: '/scratch', sizeBytes: 1 },
    ],
    PLACES,
  );
  expect(mounts).toEqual([
    { kind: 'bind', source: `/guard/${STEP}/in`, target: '/in', readOnly: true },
    { kind: 'bind', source: `/guard/${STEP}/out`, target: '/out', readOnly: false },
    { kind: 'bind', source: '/srv/npm', target: '/registry/npm', readOnly: true },
    { kind: 'tmpfs', target: '/scratch', sizeBytes: 1 },
  ]);
  expect(lent).toEqual({ reads: [`${STEP}/in`], writes: [`${STEP}/out`], holding: [] });
});

test('an overlay to be written becomes a volume, with its own place for what changes', () => {
  const plan = planMounts(
    [
      {
        kind: 'overlay',
        layers: [`${TREE}/git`, `${TREE}/files`],
        view: `${STEP}/view`,
        target: '/work',
        readOnly: false,
      },
      { kind: 'directory', name: `${TREE}/git/.git`, target: '/work/.git', readOnly: true },
    ],
    PLACES,
  );
  expect(plan.mounts[0]).toEqual({
    kind: 'volume',
    options: `lowerdir=/guard/${TREE}/git:/guard/${TREE}/files,upperdir=/guard/${STEP}/view/upper,workdir=/guard/${STEP}/view/work,index=off,redirect_dir=nofollow,metacopy=off`,
    target: '/work',
    readOnly: false,
  });
  expect(plan.views).toEqual([`${STEP}/view`]);
  expect(plan.lent.writes).toEqual([`${STEP}/view/upper`]);
  expect(plan.lent.reads).toContain(`${STEP}/view/work`);
  // Into it the place of the other mount is made.
  expect(plan.lent.holding).toContain(`${STEP}/view/upper`);
});

test('an overlay to be read needs no view, and of one layer is that layer', () => {
  const overlay = {
    kind: 'overlay',
    view: `${STEP}/look`,
    target: '/c/merged',
    readOnly: true,
  } as const;
  const both = planMounts(
    [{ ...overlay, layers: [`${STEP}/view/upper`, `${TREE}/files`] }],
    PLACES,
  );
  expect(both.views).toEqual([]);
  expect(both.leftLayers).toEqual([`${STEP}/view/upper`]);
  expect(both.mounts[0]).toMatchObject({ kind: 'volume' });
  const one = planMounts([{ ...overlay, layers: [`${TREE}/files`] }], PLACES);
  expect(one.mounts[0]).toMatchObject({ kind: 'bind', source: `/guard/${TREE}/files` });
});

test('options beyond what a kernel reads are refused', () => {
  const layers = (count: number): string[] =>
    Array.from({ length: count }, () => `runs/${'r'.repeat(80)}/trees/${'t'.repeat(80)}/files`);
  const overlay = {
    kind: 'overlay',
    view: `${STEP}/view`,
    target: '/work',
    readOnly: false,
  } as const;
  expect(() => planMounts([{ ...overlay, layers: layers(30) }], PLACES)).toThrow('too many layers');
  expect(planMounts([{ ...overlay, layers: layers(16) }], PLACES).mounts).toHaveLength(1);
});
