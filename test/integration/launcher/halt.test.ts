import { setTimeout as sleep } from 'node:timers/promises';
import { liftHalt, setHalt } from '@sallyport/shared/db/halt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLauncherFixture, type LauncherFixture } from './launcher-fixture.ts';

let fixture: LauncherFixture;
beforeAll(async () => {
  fixture = await createLauncherFixture();
  await fixture.launch();
});
afterAll(() => fixture.close());

const WORK = [
  { do: 'write', path: 'made.txt', content: 'made\n' },
  { do: 'handOff', outcome: 'done' },
] as const;
/** Two seconds in which nothing happens: the launcher sweeps as often. */
const QUIET_MS = 3_000;

function halt(level: 'drain' | 'stop', scope = 'all'): Promise<number> {
  return setHalt(fixture.deployment.pool('operator'), scope, level, 'a test', 'tester');
}
function release(scope = 'all'): Promise<boolean> {
  return liftHalt(fixture.deployment.pool('operator'), scope, 'tester');
}

test('under a drain nothing is claimed, and after the release the run goes on by itself', async () => {
  await halt('drain');
  const task = await fixture.seed(WORK);
  await sleep(QUIET_MS);
  const waiting = await fixture.look(task);
  expect([waiting.task.state, waiting.run.state, waiting.kinds]).toEqual([
    'admitted',
    'pending',
    [],
  ]);
  await release();
  await fixture.until(task.taskId, 'collected');
});

test('a drain lets the step that runs finish and its work be collected', async () => {
  const task = await fixture.seed([{ do: 'sleep', ms: 2_000 }, ...WORK]);
  await fixture.untilAgentRuns(task);
  await halt('drain');
  await fixture.until(task.taskId, 'collected');
  await release();
  const { steps } = await fixture.look(task);
  expect(steps.map((step) => step.state)).toEqual(['finished']);
});

test('a drain while the source is awaited suspends the run, and the release takes it up again', async () => {
  fixture.answering.on = false;
  const task = await fixture.seed(WORK);
  await fixture.eventually(
    'the source is asked for',
    async () => (await fixture.look(task)).run.sourceRequestId !== null,
  );
  await halt('drain');
  await fixture.eventually(
    'the run is suspended',
    async () => (await fixture.look(task)).run.state === 'suspended',
  );
  fixture.answering.on = true;
  await sleep(QUIET_MS);
  expect((await fixture.look(task)).steps).toEqual([]);
  await release();
  await fixture.until(task.taskId, 'collected');
  const { kinds, events } = await fixture.look(task);
  expect(kinds.slice(0, 3)).toEqual(['run_started', 'run_suspended', 'run_started']);
  expect(events[2]?.data).toMatchObject({ resumed: true });
});

test('a stop ends the agent within five seconds, keeps its work, and the release starts the step anew', async () => {
  const task = await fixture.seed([
    { do: 'ignoreTerm' },
    { do: 'write', path: 'half.txt', content: 'half\n' },
    { do: 'run', command: 'test -e /scripts/go || sleep 60' },
    ...WORK,
  ]);
  await fixture.untilAgentRuns(task);
  await sleep(1_000);
  const from = performance.now();
  await halt('stop');
  await fixture.eventually('the agent is gone', () => fixture.countAgents(task) === 0, 10);
  expect(performance.now() - from).toBeLessThan(5_000);
  await fixture.eventually(
    'the run is suspended',
    async () => (await fixture.look(task)).run.state === 'suspended',
  );
  const stopped = await fixture.look(task);
  expect(stopped.task.state).toBe('running');
  expect(stopped.kinds.at(-1)).toBe('run_suspended');
  expect(stopped.steps).toMatchObject([{ state: 'failed', exit: { reason: 'halted' } }]);
  expect(stopped.steps[0]?.packArtifactId).not.toBeNull();
  // Which is the last act of a run, after it is said to be suspended.
  await fixture.eventually('the lease is given back', async () => {
    const { rows } = await fixture.deployment.admin.query(
      'select 1 from lease where run_id = $1 and expires_at > now()',
      [task.runId],
    );
    return rows.length === 0;
  });
  await sleep(QUIET_MS);
  expect((await fixture.look(task)).steps).toHaveLength(1);
  fixture.allowGo();
  await release();
  await fixture.until(task.taskId, 'collected');
  const { steps } = await fixture.look(task);
  expect(steps.map((step) => [step.attempt, step.state])).toEqual([
    [1, 'failed'],
    [2, 'finished'],
  ]);
});

test('a stop of one repository ends its run alone', async () => {
  const long = [{ do: 'sleep', ms: 3_000 }, ...WORK] as const;
  const [halted, free] = await Promise.all([
    fixture.seed(long, { repositoryId: 501 }),
    fixture.seed(long, { repositoryId: 502 }),
  ]);
  await Promise.all([fixture.untilAgentRuns(halted), fixture.untilAgentRuns(free)]);
  await halt('stop', 'repo:501');
  await fixture.until(free.taskId, 'collected');
  expect((await fixture.look(free)).steps).toHaveLength(1);
  expect((await fixture.look(halted)).run.state).toBe('suspended');
  await release('repo:501');
  await fixture.until(halted.taskId, 'collected');
});

test('a task that is cancelled while its agent runs loses the agent, and nothing is collected', async () => {
  const { admin } = fixture.deployment;
  const task = await fixture.seed([{ do: 'sleep', ms: 60_000 }, ...WORK]);
  await fixture.untilAgentRuns(task);
  const gate = fixture.deployment.pool('gate');
  await gate.query(
    `select task_move($1, 'running', 'cancelled', 'asked'), run_move($2, 'running', 'cancelled')`,
    [task.taskId, task.runId],
  );
  await fixture.eventually('the agent is gone', () => fixture.countAgents(task) === 0, 8);
  await fixture.eventually(
    'the step is ended',
    async () => (await fixture.look(task)).steps[0]?.state === 'failed',
    8,
  );
  const { run, steps, queued } = await fixture.look(task);
  expect(run).toMatchObject({ state: 'cancelled', bundleArtifactId: null });
  expect(steps).toMatchObject([{ exit: { reason: 'cancelled' } }]);
  expect(queued).toEqual([]);
  const { rows } = await admin.query(
    'select 1 from lease where run_id = $1 and expires_at > now()',
    [task.runId],
  );
  await fixture.eventually('nothing is left', () => fixture.leftFiles().length === 0);
  expect(rows.length).toBeLessThanOrEqual(1);
});
