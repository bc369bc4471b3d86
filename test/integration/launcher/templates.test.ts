/**
 * Every team that ships, run to its end by real launchers in real sandboxes: which nodes were visited, how often, which of
 * them could not write, and that what was collected is the writers' work and nobody else's.
 */
import { TEMPLATES } from '@sallyport/teams/templates/find-template';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ScriptedAction } from '../../support/agent/script.ts';
import {
  createLauncherFixture,
  type LauncherFixture,
  type ScriptedTask,
} from './launcher-fixture.ts';

interface Course {
  /** `node.visit outcome`, `*` behind those that were read-only; of steps at the same time in the order of names. */
  steps: readonly string[];
  /** What each node hands off; a list has one outcome a visit, the last of them for all further ones. */
  outcomes: Readonly<Record<string, readonly ('pass' | 'fail' | 'done')[]>>;
  /** How often each writing node's mark stands in what was collected. */
  marks: Readonly<Record<string, number>>;
}

const COURSES: Readonly<Record<string, Course>> = {
  'dev-qa': {
    outcomes: { developer: ['done'], qa: ['pass'] },
    steps: ['developer.1 done', 'qa.1 pass*'],
    marks: { developer: 1 },
  },
  'dev-qa-loop': {
    outcomes: { developer: ['done'], qa: ['fail', 'pass'] },
    steps: ['developer.1 done', 'qa.1 fail*', 'developer.2 done', 'qa.2 pass*'],
    marks: { developer: 2 },
  },
  'bug-hunt': {
    outcomes: { reproduction: ['done'], fix: ['done'], verification: ['fail', 'pass'] },
    steps: [
      'reproduction.1 done*',
      'fix.1 done',
      'verification.1 fail*',
      'fix.2 done',
      'verification.2 pass*',
    ],
    marks: { fix: 2 },
  },
  'release-shield': {
    outcomes: { developer: ['done'], qa: ['fail'], security: ['pass'], 'release-gate': ['pass'] },
    steps: ['developer.1 done', 'qa.1 fail*', 'security.1 pass*', 'release-gate.1 pass'],
    marks: { developer: 1, 'release-gate': 1 },
  },
  'feature-squad': {
    outcomes: {
      planner: ['done'],
      'foundation-developer': ['done'],
      'surface-developer': ['done'],
      tester: ['fail'],
      'release-gate': ['pass'],
    },
    steps: [
      'planner.1 done',
      'foundation-developer.1 done',
      'surface-developer.1 done',
      'tester.1 fail*',
      'release-gate.1 pass',
    ],
    marks: {
      planner: 1,
      'foundation-developer': 1,
      'surface-developer': 1,
      'release-gate': 1,
    },
  },
};

const MARKS = 'marks.txt';
let fixture: LauncherFixture;
const tasks = new Map<string, ScriptedTask>();
beforeAll(async () => {
  fixture = await createLauncherFixture();
  for (const { name, nodes, edges } of TEMPLATES) {
    const { outcomes } = courseOf(name);
    const scripted = nodes.map((node) => {
      const { id, agent: _, ...said } = node;
      return [id, { ...said, script: scriptOf(id, outcomes[id] ?? []) }];
    });
    tasks.set(name, await fixture.seedTeam(Object.fromEntries(scripted), edges));
  }
  await fixture.launch({ MAX_RUNS: '5' });
}, 60_000);
afterAll(() => fixture.close());

function courseOf(name: string): Course {
  const course = COURSES[name];
  if (course === undefined) throw new Error(`no course is expected of ${name}`);
  return course;
}

/** Everybody tries to leave a mark; the hand-off says whether there was one to be seen. */
function scriptOf(id: string, outcomes: readonly ('pass' | 'fail' | 'done')[]): ScriptedAction[] {
  const last = outcomes.length;
  return [
    { do: 'run', command: `echo ${id} >> ${MARKS}`, as: 'mark' },
    ...outcomes.map((outcome, i): ScriptedAction => ({
      do: 'handOff',
      outcome,
      visits: i + 1 < last ? [i + 1] : Array.from({ length: 9 }, (__, more) => last + more),
    })),
  ];
}

test.each(TEMPLATES.map(({ name }) => [name]))(
  '%s comes to its end, with the nodes that judge kept from writing',
  async (name) => {
    const { steps, marks } = courseOf(name);
    const task = tasks.get(name);
    if (task === undefined) throw new Error(`${name} was not begun`);
    await fixture.until(task.taskId, 'collected', 90);
    const look = await fixture.look(task);
    const visited = look.steps.map(({ node, visit, state, readOnly, handOff }) => {
      expect(state).toBe('finished');
      const { outcome } = handOff as { outcome: string };
      return `${node}.${visit} ${outcome}${readOnly ? '*' : ''}`;
    });
    // QA and security are at work at the same time, in whichever order they began.
    const both = (step: string): boolean => /^(?:qa|security)\b/.test(step);
    const ordered = name === 'release-shield' ? sortRun(visited, both) : visited;
    expect(ordered).toEqual(steps);
    const { files } = fixture.source.applyBundle(await look.bundle(), task.branch);
    const left = files[MARKS]?.trim().split('\n') ?? [];
    const expected = Object.entries(marks).flatMap(([id, times]) => Array(times).fill(id));
    expect(left.toSorted()).toEqual(expected.toSorted());
    expect(look.kinds).toContain('bundle_collected');
  },
  120_000,
);

function sortRun(steps: readonly string[], isOfRun: (step: string) => boolean): string[] {
  const first = steps.findIndex(isOfRun);
  const run = steps.filter(isOfRun).toSorted();
  return steps.flatMap((step, i) => (i === first ? run : isOfRun(step) ? [] : [step]));
}

test('no team ships without a course here', () => {
  expect(TEMPLATES.map(({ name }) => name)).toEqual(Object.keys(COURSES));
});
