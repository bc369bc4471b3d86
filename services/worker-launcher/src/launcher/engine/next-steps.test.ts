import { parseTeam, type Team } from '@sallyport/teams/team';
import { buildGraph } from '@sallyport/teams/graph/team-graph';
import { OUTCOMES, type Outcome } from '@sallyport/teams/hand-off';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextSteps, type NextSteps, type NextStepsInput } from './next-steps.ts';
import { MAX_LOST_LAUNCHERS } from './step-budget.ts';

type Step = NextStepsInput['steps'][number];
const START = 1_000_000;

function team(nodes: object[], edges: object[]): Team {
  const prompt = '';
  const agent = { cli: 'scripted' };
  const parsed = parseTeam({
    v: 1,
    name: 'test',
    nodes: nodes.map((node) => ({ agent, prompt, ...node })),
    edges,
  });
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  return parsed.team;
}

interface Told {
  state?: 'finished' | 'failed' | 'started';
  outcome?: Outcome;
  reason?: string;
  attempt?: number;
  at?: number;
  seconds?: number;
}

function stepsOf(of: Team, told: readonly (readonly [string, number, Told?])[]): Step[] {
  return told.map(([node, visit, more = {}], i) => {
    const state = more.state ?? (more.reason === undefined ? 'finished' : 'failed');
    const startedAt = new Date(START + (more.at ?? i * 10) * 1000);
    return {
      id: `s${String(i).padStart(4, '0')}`,
      node,
      visit,
      attempt: more.attempt ?? 1,
      state,
      readOnly: of.nodes.find((n) => n.id === node)?.readOnly === true,
      handOff: state === 'finished' ? { outcome: more.outcome ?? 'done' } : null,
      exit: { reason: more.reason ?? null, message: 'it broke' },
      startedAt,
      endedAt:
        state === 'started' ? null : new Date(startedAt.getTime() + (more.seconds ?? 1) * 1000),
    };
  });
}

function plan(of: Team, steps: readonly Step[], over: Partial<NextStepsInput> = {}): NextSteps {
  return nextSteps({
    graph: buildGraph(of),
    rules: new Map(of.nodes.map((node) => [node.id, node])),
    limits: { steps: 50, wallSeconds: 10_000 },
    steps,
    maxParallel: 3,
    now: new Date(START + 5_000_000),
    ...over,
  });
}
function started(next: NextSteps): string[] {
  if (next.kind !== 'go_on') throw new Error(JSON.stringify(next));
  return next.start.map((step) => `${step.node}.${step.visit}.${step.attempt}`);
}

const solo = team([{ id: 'fix', attempts: 2 }], []);
const loop = team(
  [{ id: 'dev' }, { id: 'qa', readOnly: true }],
  [
    { from: 'dev', to: 'qa' },
    { from: 'qa', to: 'dev', on: 'fail' },
  ],
);
const shield = team(
  [{ id: 'dev' }, { id: 'qa', readOnly: true }, { id: 'security', readOnly: true }, { id: 'gate' }],
  [
    { from: 'dev', to: 'qa' },
    { from: 'dev', to: 'security' },
    { from: 'qa', to: 'gate' },
    { from: 'security', to: 'gate' },
  ],
);

describe('one node', () => {
  test('starts, is tried again while it has attempts, and is never done again once it has finished', () => {
    expect(started(plan(solo, []))).toEqual(['fix.1.1']);
    const once = stepsOf(solo, [['fix', 1, { reason: 'timed_out' }]]);
    expect(started(plan(solo, once))).toEqual(['fix.1.2']);
    const twice = [...once, ...stepsOf(solo, [['fix', 1, { reason: 'exit_code', attempt: 2 }]])];
    expect(plan(solo, twice)).toMatchObject({ kind: 'failed', reason: 'exit_code' });
    const done = [...once, ...stepsOf(solo, [['fix', 1, { attempt: 2 }]])];
    expect(plan(solo, done)).toEqual({
      kind: 'done',
      last: [expect.objectContaining({ node: 'fix', visit: 1 })],
      treeFrom: { node: 'fix', visit: 1 },
    });
  });

  test.each(['launcher_lost', 'halted', 'launcher_stopping'])(
    '%s does not count against it',
    (reason) => {
      const steps = stepsOf(solo, [
        ['fix', 1, { reason }],
        ['fix', 1, { reason, attempt: 2 }],
        ['fix', 1, { reason: 'timed_out', attempt: 3 }],
      ]);
      expect(started(plan(solo, steps))).toEqual(['fix.1.4']);
    },
  );

  test('that loses every launcher is given up', () => {
    const lost = stepsOf(
      solo,
      Array.from(
        { length: MAX_LOST_LAUNCHERS },
        (_, i) => ['fix', 1, { reason: 'launcher_lost', attempt: i + 1 }] as const,
      ),
    );
    expect(plan(solo, lost)).toMatchObject({ kind: 'failed', reason: 'launcher_lost' });
    expect(started(plan(solo, lost.slice(1)))).toEqual(['fix.1.6']);
  });

  test('that tried to write where it must not fails, or is run once more when its team says so', () => {
    const reader = (onWriteAttempt: string): Team =>
      team([{ id: 'qa', readOnly: true, onWriteAttempt }], []);
    const wrote = (of: Team, n: number): Step[] =>
      stepsOf(
        of,
        Array.from(
          { length: n },
          (_, i) => ['qa', 1, { reason: 'write_attempt', attempt: i + 1 }] as const,
        ),
      );
    expect(plan(reader('fail'), wrote(reader('fail'), 1))).toMatchObject({
      reason: 'write_attempt',
    });
    expect(started(plan(reader('rerun'), wrote(reader('rerun'), 1)))).toEqual(['qa.1.2']);
    expect(plan(reader('rerun'), wrote(reader('rerun'), 2))).toMatchObject({
      reason: 'write_attempt',
    });
  });
});

describe('a team', () => {
  test('forks into readers that run at once, and joins with the tree that they all were given', () => {
    const dev = stepsOf(shield, [['dev', 1]]);
    expect(started(plan(shield, dev))).toEqual(['qa.1.1', 'security.1.1']);
    const half = [
      ...dev,
      ...stepsOf(shield, [['qa', 1, { at: 20 }]]),
      ...stepsOf(shield, [['security', 1, { state: 'started' }]]),
    ];
    expect(started(plan(shield, half))).toEqual([]);
    const both = stepsOf(shield, [
      ['dev', 1],
      ['qa', 1],
      ['security', 1],
    ]);
    expect(plan(shield, both)).toMatchObject({
      start: [
        {
          node: 'gate',
          from: [
            { node: 'qa', visit: 1 },
            { node: 'security', visit: 1 },
          ],
          treeFrom: { node: 'dev', visit: 1 },
        },
      ],
    });
  });

  test('runs no more at once than there is room for', () => {
    const dev = stepsOf(shield, [['dev', 1]]);
    expect(started(plan(shield, dev, { maxParallel: 1 }))).toEqual(['qa.1.1']);
    const one = [...dev, ...stepsOf(shield, [['qa', 1, { state: 'started' }]])];
    expect(started(plan(shield, one, { maxParallel: 1 }))).toEqual([]);
    expect(started(plan(shield, one, { maxParallel: 2 }))).toEqual(['security.1.1']);
  });

  test('loops until the outcome leads out, or the limit of visits is passed', () => {
    const told: [string, number, Told?][] = [['dev', 1]];
    for (let visit = 1; visit <= 2; visit += 1) {
      told.push(['qa', visit, { outcome: 'fail' }], ['dev', visit + 1]);
    }
    const steps = stepsOf(loop, told);
    expect(started(plan(loop, steps))).toEqual(['qa.3.1']);
    const passed = stepsOf(loop, [...told, ['qa', 3, { outcome: 'pass' }]]);
    expect(plan(loop, passed)).toMatchObject({ kind: 'done', treeFrom: { node: 'dev', visit: 3 } });
    const beyond = stepsOf(loop, [...told, ['qa', 3, { outcome: 'fail' }]]);
    expect(plan(loop, beyond)).toMatchObject({ kind: 'failed', reason: 'visit_limit' });
  });

  test('in which two nodes that write meet all the same is refused before the second starts', () => {
    const graph = buildGraph({
      nodes: ['a', 'b'].map((id) => ({ id, maxVisits: 1 })),
      edges: [],
    });
    expect(plan(solo, [], { graph })).toMatchObject({
      kind: 'failed',
      reason: 'concurrent_writers',
    });
  });

  test('whose steps are those of another team is not gone on with', () => {
    expect(plan(loop, stepsOf(loop, [['qa', 1]]))).toMatchObject({
      reason: 'steps_of_another_team',
    });
  });
});

describe('the ticket', () => {
  test('bounds the steps, those at work included', () => {
    const dev = stepsOf(shield, [['dev', 1]]);
    const limits = { steps: 2, wallSeconds: 1000 };
    expect(started(plan(shield, dev, { limits }))).toEqual(['qa.1.1']);
    const busy = [...dev, ...stepsOf(shield, [['qa', 1, { state: 'started' }]])];
    expect(started(plan(shield, busy, { limits: { ...limits, wallSeconds: 1e7 } }))).toEqual([]);
    const spent = stepsOf(shield, [
      ['dev', 1],
      ['qa', 1],
    ]);
    expect(plan(shield, spent, { limits })).toMatchObject({ kind: 'failed', reason: 'step_limit' });
  });

  test('bounds the time at work, in which parallel steps count once', () => {
    const steps = stepsOf(shield, [
      ['dev', 1, { at: 0, seconds: 30 }],
      ['qa', 1, { at: 100, seconds: 30 }],
      ['security', 1, { at: 110, seconds: 30 }],
    ]);
    expect(plan(shield, steps, { limits: { steps: 9, wallSeconds: 100 } })).toMatchObject({
      start: [{ node: 'gate', wallSecondsLeft: 30 }],
    });
    expect(plan(shield, steps, { limits: { steps: 9, wallSeconds: 70 } })).toMatchObject({
      kind: 'failed',
      reason: 'wall_time_limit',
    });
  });
});

describe('whatever the team, the outcomes, the failures and the launchers that die', () => {
  const teams = fc
    .record({
      readers: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
      edges: fc.array(
        fc.record({
          from: fc.nat(5),
          to: fc.nat(5),
          on: fc.option(fc.constantFrom(...OUTCOMES), { nil: undefined }),
        }),
        { maxLength: 10 },
      ),
      maxVisits: fc.integer({ min: 1, max: 3 }),
      joins: fc.array(fc.constantFrom('all', 'any', undefined), { minLength: 6, maxLength: 6 }),
    })
    .map(({ readers, edges, maxVisits, joins }) =>
      parseTeam({
        v: 1,
        name: 'any',
        nodes: readers.map((readOnly, i) => ({
          id: `n${i}`,
          agent: { cli: 'scripted' },
          prompt: '',
          readOnly,
          maxVisits,
          ...(joins[i] === undefined ? {} : { join: joins[i] }),
          attempts: 2,
        })),
        edges: edges.map(({ from, to, on }) => ({
          from: `n${from % readers.length}`,
          to: `n${to % readers.length}`,
          ...(on === undefined ? {} : { on }),
        })),
      }),
    )
    .filter((parsed) => parsed.ok)
    .map((parsed) => (parsed.ok ? parsed.team : solo));
  const fates = fc.infiniteStream(
    fc.record({
      pick: fc.nat(100),
      outcome: fc.constantFrom(...OUTCOMES),
      fails: fc.integer({ min: 0, max: 9 }),
    }),
  );

  test('no two writers are at work at once, nothing finished is done again, and every run ends', () => {
    fc.assert(
      fc.property(teams, fates, fc.integer({ min: 1, max: 4 }), (of, fate, maxParallel) => {
        const steps: Step[] = [];
        const most = of.nodes.length * 3 * (2 + MAX_LOST_LAUNCHERS);
        let clock = 0;
        for (let turn = 0; ; turn += 1) {
          expect(turn).toBeLessThan(2 * most + 2);
          const next = plan(of, steps, {
            maxParallel,
            limits: { steps: 10_000, wallSeconds: 1e9 },
          });
          const atWork = steps.filter((step) => step.state === 'started');
          if (next.kind === 'failed' || (next.kind === 'done' && atWork.length === 0)) return;
          for (const { node, visit, attempt } of next.kind === 'go_on' ? next.start : []) {
            expect(
              steps.some((s) => s.node === node && s.visit === visit && s.state !== 'failed'),
            ).toBe(false);
            expect(visit).toBeLessThanOrEqual(of.nodes.find((n) => n.id === node)?.maxVisits ?? 0);
            const [step] = stepsOf(of, [[node, visit, { state: 'started', attempt, at: clock }]]);
            if (step === undefined) throw new Error('no step');
            steps.push({ ...step, id: `s${String(steps.length).padStart(5, '0')}` });
            clock += 1;
          }
          const busy = steps.filter((step) => step.state === 'started');
          expect(busy.length).toBeLessThanOrEqual(maxParallel);
          expect(busy.filter((step) => !step.readOnly).length).toBeLessThanOrEqual(1);
          const { value } = fate.next() as {
            value: { pick: number; outcome: Outcome; fails: number };
          };
          const ended = busy[value.pick % Math.max(1, busy.length)];
          // Nothing to start and nothing at work would be a run that waits for ever.
          expect(ended).toBeDefined();
          if (ended === undefined) return;
          clock += 1;
          ended.endedAt = new Date(START + clock * 1000);
          ended.state = value.fails > 1 ? 'finished' : 'failed';
          if (value.fails > 1) ended.handOff = { outcome: value.outcome };
          else
            ended.exit = { reason: value.fails === 0 ? 'launcher_lost' : 'exit_code', message: '' };
        }
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});
