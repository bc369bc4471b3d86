import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptedAction } from '../../support/agent/script.ts';
import { createLauncherFixture, type Look, type LauncherFixture } from './launcher-fixture.ts';

let fixture: LauncherFixture;
beforeAll(async () => {
  fixture = await createLauncherFixture();
  await fixture.launch({ MAX_PARALLEL_STEPS: '16' });
});
afterAll(() => fixture.close());

const DONE: ScriptedAction = { do: 'handOff', outcome: 'done' };
const PASS: ScriptedAction = { do: 'handOff', outcome: 'pass' };
const TOUCH: ScriptedAction = {
  do: 'write',
  path: 'src/main.js',
  content: 'written by a reader\n',
};

function course({ steps }: Look): string[] {
  return steps.map((s) => `${s.node}.${s.visit}.${s.attempt} ${s.state}`);
}
/** The claims of a step that must have handed off. */
function handOffOf(step: Look['steps'][number] | undefined): { claims: Record<string, string> } {
  if (!step?.handOff) throw new Error('the step handed nothing off');
  return step.handOff as { claims: Record<string, string> };
}
function started({ events }: Look, node: string): Record<string, unknown>[] {
  return events
    .filter((e) => e.kind === 'step_started' && e.data['node'] === node)
    .map((e) => e.data);
}

describe('a loop', () => {
  const edges = [
    { from: 'dev', to: 'qa' },
    { from: 'qa', to: 'dev', on: 'fail' },
  ] as const;

  test('goes round until the outcome leads out, each visit upon the tree of the one before', async () => {
    const task = await fixture.seedTeam(
      {
        dev: {
          script: [
            { do: 'run', command: 'echo "round $(grep -c . log.txt 2>/dev/null)" >> log.txt' },
            DONE,
          ],
        },
        qa: {
          readOnly: true,
          script: [
            { do: 'run', command: 'cat log.txt', as: 'log' },
            { do: 'handOff', outcome: 'fail', visits: [1, 2] },
            { ...PASS, visits: [3] },
          ],
        },
      },
      edges,
    );
    await fixture.until(task.taskId, 'collected', 60);
    const look = await fixture.look(task);
    expect(course(look)).toEqual(
      [1, 2, 3].flatMap((visit) => [`dev.${visit}.1 finished`, `qa.${visit}.1 finished`]),
    );
    expect(new Set(started(look, 'qa').map((data) => data['policyHash'])).size).toBe(1);
    const { files } = fixture.source.applyBundle(await look.bundle(), task.branch);
    expect(files['log.txt']?.split('\n')).toHaveLength(4);
  }, 90_000);

  test('that does not end is ended at its limit, with that reason', async () => {
    const task = await fixture.seedTeam(
      {
        dev: { maxVisits: 2 },
        qa: { readOnly: true, script: [{ do: 'handOff', outcome: 'fail' }] },
      },
      edges,
    );
    expect(await fixture.until(task.taskId, 'failed', 60)).toMatchObject({
      stateReason: 'visit_limit',
    });
    const look = await fixture.look(task);
    expect(course(look)).toHaveLength(4);
    expect(String(look.events.at(-1)?.data['message'])).toContain('dev has been visited 2 times');
  }, 90_000);
});

test('twenty reviewers at once have one tree on disk, and the one after them begins when all have ended', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `reviewer-${i + 1}`);
  const wait = 'cat > /dev/null; until [ -e /scripts/go ]; do sleep 0.2; done';
  const hand = `echo '{"v":1,"outcome":"pass","summary":"","findings":[],"claims":{}}' > /out/hand-off.json`;
  const review = `${wait}; echo mine > src/main.js; ${hand}`;
  const reviewer = {
    readOnly: true,
    agent: { cli: 'scripted', command: '/bin/sh', args: ['-c', review] },
  };
  const task = await fixture.seedTeam(
    {
      ...Object.fromEntries(names.map((name) => [name, reviewer])),
      gate: { script: [{ do: 'run', command: 'ls /in/hand-offs | wc -l', as: 'handed' }, DONE] },
    },
    names.map((from) => ({ from, to: 'gate' })),
    { claims: (c) => ({ ...c, limits: { ...c.limits, steps: 30 } }) },
  );
  await fixture.eventually(
    'sixteen are at work',
    async () => (await fixture.look(task)).steps.filter((s) => s.state === 'started').length === 16,
    60,
  );
  const [run = ''] = fixture.leftFiles();
  const trees = join(fixture.stateDir, 'runs', run, 'trees');
  expect(readdirSync(trees)).toEqual([fixture.source.tree]);
  fixture.allowGo();
  await fixture.until(task.taskId, 'collected', 90);
  const look = await fixture.look(task);
  const compared = look.events.filter((e) => e.kind === 'tree_compared').map((e) => e.data);
  expect(compared.filter((data) => data['writeAttempt'] === true)).toHaveLength(20);
  expect(look.run).toMatchObject({ treeOid: fixture.source.tree, bundleArtifactId: null });
  const { claims } = handOffOf(look.steps.at(-1));
  expect(claims['handed']).toBe('0: 20');
}, 180_000);

describe('a hand-off that cannot be used', () => {
  const spoil: ScriptedAction = { do: 'write', path: '/out/hand-off.json', content: '{' };
  const remember: ScriptedAction = { do: 'append', path: 'times.txt', content: 'x' };

  test('gets its agent started once more, in the same tree and with the reason, and then it counts', async () => {
    const task = await fixture.seed([
      remember,
      { do: 'readPrompt', as: 'prompt' },
      DONE,
      { do: 'run', command: '[ "$(cat times.txt)" = xx ] || echo "{" > /out/hand-off.json' },
    ]);
    await fixture.until(task.taskId, 'collected', 40);
    const look = await fixture.look(task);
    expect(course(look)).toEqual(['developer.1.1 finished']);
    expect(look.steps[0]?.exit).toMatchObject({ repaired: { reason: 'hand_off_not_json' } });
    const { claims } = handOffOf(look.steps[0]);
    expect(claims['prompt']).toContain('the hand-off is not JSON');
    const { files } = fixture.source.applyBundle(await look.bundle(), task.branch);
    expect(files['times.txt']).toBe('xx');
  });

  test('twice fails the step with what was wrong', async () => {
    const task = await fixture.seed([remember, spoil]);
    expect(await fixture.until(task.taskId, 'failed', 40)).toMatchObject({
      stateReason: 'hand_off_not_json',
    });
    const look = await fixture.look(task);
    expect(course(look)).toEqual(['developer.1.1 failed']);
    expect(look.steps[0]?.exit).toMatchObject({ repaired: { reason: 'hand_off_not_json' } });
  });
});

describe('a write of a read-only step', () => {
  test.each([
    ['note', 'collected', ['qa.1.1 finished']],
    ['fail', 'failed', ['qa.1.1 failed']],
    ['rerun', 'failed', ['qa.1.1 failed', 'qa.1.2 failed']],
  ] as const)('is followed by what its team says: %s', async (onWriteAttempt, state, steps) => {
    const task = await fixture.seedTeam(
      { qa: { readOnly: true, onWriteAttempt, script: [TOUCH, PASS] } },
      [],
    );
    const ended = await fixture.until(task.taskId, state, 40);
    if (state === 'failed') expect(ended.stateReason).toBe('write_attempt');
    const look = await fixture.look(task);
    expect(course(look)).toEqual(steps);
    expect(look.run.bundleArtifactId).toBeNull();
  });

  test('that stops with the second attempt counts as done', async () => {
    const once = {
      do: 'run',
      command: `grep -q '"attempt": 2' /in/task.json || echo x > README.md`,
    } as const;
    const task = await fixture.seedTeam(
      { qa: { readOnly: true, onWriteAttempt: 'rerun', script: [once, PASS] } },
      [],
    );
    await fixture.until(task.taskId, 'collected', 40);
    expect(course(await fixture.look(task))).toEqual(['qa.1.1 failed', 'qa.1.2 finished']);
  });
});

test('a task that may only read makes every step of its team read-only, whatever the team says', async () => {
  const nodes = { dev: { script: [TOUCH, DONE] }, gate: { script: [TOUCH, DONE] } };
  const edges = [{ from: 'dev', to: 'gate' }];
  const readOnly = await fixture.seedTeam(nodes, edges, {
    claims: (c) => ({ ...c, read_only: true }),
  });
  const twin = await fixture.seedTeam(nodes, edges);
  await fixture.until(readOnly.taskId, 'collected', 60);
  const look = await fixture.look(readOnly);
  expect(look.steps.map((step) => step.readOnly)).toEqual([true, true]);
  expect(started(look, 'dev')).toMatchObject([{ restrictedBy: ['task'], level: 'reflex' }]);
  expect(look.run).toMatchObject({ bundleArtifactId: null, treeOid: fixture.source.tree });
  await fixture.until(twin.taskId, 'collected', 60);
  const { run } = await fixture.look(twin);
  expect(run.bundleArtifactId).not.toBeNull();
}, 120_000);

test('a team with an agent that nobody offers here does not start, not even its first node', async () => {
  const task = await fixture.seedTeam(
    { dev: {}, qa: { readOnly: true, agent: { cli: 'unheard-of' } } },
    [{ from: 'dev', to: 'qa' }],
  );
  expect(await fixture.until(task.taskId, 'failed')).toMatchObject({ stateReason: 'unknown_cli' });
  expect((await fixture.look(task)).steps).toEqual([]);
});
