import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  createLauncherFixture,
  type LauncherFixture,
} from '../integration/launcher/launcher-fixture.ts';

let fixture: LauncherFixture;
beforeAll(async () => {
  fixture = await createLauncherFixture();
});
afterEach(() => fixture.killLaunchers());
afterAll(() => fixture.close());

const CHANGE = [
  { do: 'write', path: 'made.txt', content: 'made\n' },
  { do: 'handOff', outcome: 'done' },
] as const;

describe('a launcher that is killed', () => {
  // The moments at which a step can be lost; test/crash has every moment.
  test.each([
    ['launcher:run_started', 1],
    ['launcher:step_started', 2],
    ['launcher:step_ended_tree_not_committed', 2],
    ['launcher:step_committed', 1],
  ])(
    'at %s is followed by another, after %i attempts there is one bundle',
    async (moment, attempts) => {
      // A mirror of its own, so that the source is read again each time.
      const stateDir = `${fixture.directory}/state-${moment.replace(':', '-')}`;
      const task = await fixture.seed(CHANGE);
      const first = await fixture.launch({ SALLYPORT_CRASH_POINT: moment, STATE_DIR: stateDir });
      expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
      const second = await fixture.launch({ STATE_DIR: stateDir });
      await fixture.until(task.taskId, 'collected');
      const { run, steps, kinds, queued, bundle } = await fixture.look(task);
      expect(fixture.source.applyBundle(await bundle(), task.branch)).toMatchObject({
        head: run.headOid,
        files: { 'made.txt': 'made\n' },
      });
      expect(steps.map((step) => [step.state, (step.exit as { reason: unknown }).reason])).toEqual([
        ...Array.from({ length: attempts - 1 }, () => ['failed', 'launcher_lost']),
        ['finished', null],
      ]);
      expect(kinds.filter((kind) => kind === 'bundle_collected')).toHaveLength(1);
      expect(queued).toEqual([{ v: 1, runId: task.runId }]);
      const { rows } = await fixture.deployment.admin.query(
        `select 1 from artifact where task_id = $1 and kind = 'bundle'`,
        [task.taskId],
      );
      expect(rows).toHaveLength(1);
      await second.stop();
      expect(fixture.countAgents(task)).toBe(0);
    },
  );

  test('takes its agent with it, and what it left on disk is removed by the next one on this host', async () => {
    const task = await fixture.seed([{ do: 'sleep', ms: 60_000 }]);
    const first = await fixture.launch();
    await fixture.untilAgentRuns(task);
    await first.kill();
    await fixture.eventually('the agent is gone', () => fixture.countAgents(task) === 0, 5);
    expect(fixture.leftFiles()).toHaveLength(1);
    await fixture.deployment.admin.query(`update task set state = 'cancelled' where id = $1`, [
      task.taskId,
    ]);
    await sleep(3_000);
    const second = await fixture.launch();
    await fixture.eventually('nothing is left', () => fixture.leftFiles().length === 0, 5);
    await second.stop();
  });
});

test('two launchers at once work on one run once, and on two runs both', async () => {
  const launchers = await Promise.all([
    fixture.launch({ MAX_RUNS: '1' }),
    fixture.launch({ MAX_RUNS: '1' }),
  ]);
  const slow = [{ do: 'sleep', ms: 1_500 }, ...CHANGE] as const;
  const tasks = await Promise.all([fixture.seed(slow), fixture.seed(slow)]);
  const holders = new Set<unknown>();
  for (const task of tasks) {
    await fixture.until(task.taskId, 'collected');
    const { steps, kinds, events } = await fixture.look(task);
    expect(steps).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'run_started')).toHaveLength(1);
    holders.add(events.find((e) => e.kind === 'run_started')?.data['launcher']);
  }
  expect(holders.size).toBe(2);
  await Promise.all(launchers.map((launcher) => launcher.stop()));
});

test('a launcher that loses its lease ends its agent and writes nothing more', async () => {
  const { admin } = fixture.deployment;
  const launcher = await fixture.launch();
  const task = await fixture.seed([{ do: 'sleep', ms: 60_000 }, ...CHANGE]);
  await fixture.untilAgentRuns(task);
  const before = await fixture.look(task);
  // As if another host had taken the run over; it holds the lease for longer than this test lasts.
  await admin.query(
    `update lease set fence = fence + 1, holder = 'elsewhere', expires_at = now() + interval '1 minute' where run_id = $1`,
    [task.runId],
  );
  await fixture.eventually('the agent is gone', () => fixture.countAgents(task) === 0, 5);
  await fixture.eventually('nothing is left', () => fixture.leftFiles().length === 0, 5);
  const after = await fixture.look(task);
  expect(after.events).toEqual(before.events);
  expect(after.steps).toEqual(before.steps);
  // The twin: when that host is gone too, this one takes the run over and the lost attempt is written down.
  await admin.query(`update lease set expires_at = now() where run_id = $1`, [task.runId]);
  await fixture.eventually('the attempt is given up', async () => {
    const { steps } = await fixture.look(task);
    return steps.length === 2 && steps[0]?.state === 'failed';
  });
  await launcher.kill();
  await admin.query(`update task set state = 'cancelled' where id = $1`, [task.taskId]);
});

describe('a launcher that is told to stop', () => {
  test('lets a step that is about to end do so, and the next launcher makes the bundle without repeating it', async () => {
    const first = await fixture.launch();
    const task = await fixture.seed([{ do: 'sleep', ms: 2_500 }, ...CHANGE]);
    await fixture.untilAgentRuns(task);
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    const second = await fixture.launch();
    await fixture.until(task.taskId, 'collected');
    const { steps } = await fixture.look(task);
    expect(steps.map((step) => step.state)).toEqual(['finished']);
    await second.stop();
  });

  test('ends a step that takes longer, gives the run back at once, and another launcher goes on', async () => {
    const first = await fixture.launch({ LEASE_SECONDS: '300' });
    const task = await fixture.seed([
      { do: 'run', command: 'test -e /scripts/go || sleep 60' },
      ...CHANGE,
    ]);
    await fixture.untilAgentRuns(task);
    const from = performance.now();
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - from).toBeLessThan(12_000);
    const stopped = await fixture.look(task);
    expect(stopped.run).toMatchObject({ state: 'suspended', stateReason: 'launcher_stopping' });
    expect(stopped.task.state).toBe('running');
    expect(stopped.kinds.at(-1)).toBe('run_suspended');
    expect(fixture.leftFiles()).toEqual([]);
    fixture.allowGo();
    const second = await fixture.launch();
    await fixture.until(task.taskId, 'collected');
    const { steps } = await fixture.look(task);
    expect(steps.map((step) => step.state)).toEqual(['failed', 'finished']);
    expect(steps[0]?.exit).toMatchObject({ reason: 'launcher_stopping' });
    await second.stop();
  });
});
