import { setTimeout as sleep } from 'node:timers/promises';
import { awaitTask } from '@sallyport/cli/local/demo/await-task';
import { createTemporaryDirectory } from '@sallyport/cli/local/temporary';
import { liftHalt, readHalt, setHalt } from '@sallyport/shared/db/halt';
import { readTimeline } from '@sallyport/shared/db/timeline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectTidy } from '../support/line/die-at.ts';
import { effectsBetween } from '../support/line/effects.ts';
import { countSandboxes } from '../support/line/leftovers.ts';
import { ask, expectPublishedOnce, until } from '../support/line/requests-of.ts';
import { runCommand } from '../support/line/run-command.ts';
import { SAMPLE_FIX } from '../support/line/sample-project.ts';
import { startLine, type Line } from '../support/line/start-line.ts';

let line: Line | undefined;
const state = createTemporaryDirectory();
beforeAll(async () => {
  line = await startLine({ state: state.path, env: process.env, script: SAMPLE_FIX });
});
afterEach(async () => {
  if (line !== undefined) await liftHalt(line.db, 'all', 'test');
  line?.setScript(SAMPLE_FIX);
});
afterAll(async () => {
  await line?.stop();
  state.remove();
});

function theLine(): Line {
  if (line === undefined) throw new Error('the line did not start');
  return line;
}

describe('a halt of everything', () => {
  it.each(['ticket_issued', 'step_started', 'bundle_collected', 'verdict_given'] as const)(
    'lets no effect begin from one second after the flip on, flipped at %s, and everything goes on after the release',
    async (kind) => {
      const where = theLine();
      const asked = await ask(where);
      await until(where, asked, kind);
      // Straight to the row: the command takes longer to start than these moments last.
      await setHalt(where.db, 'all', 'drain', 'a test', 'test');
      const [halt] = (await readHalt(where.db)).halts;
      const another = await ask(where);
      expect(another.statusCode).toBe(202);
      await sleep(4_000);
      const settledAt = new Date((halt?.since.getTime() ?? 0) + 1_000);
      expect(await effectsBetween(where, settledAt)).toEqual([]);
      const releasedAt = new Date();
      await liftHalt(where.db, 'all', 'test');
      await expectPublishedOnce(where, asked);
      await expectPublishedOnce(where, another);
      // What was looked for above is what is seen now.
      const after = await effectsBetween(where, releasedAt);
      for (const sign of [/receive-pack/, /pulls$/, /comments$/, /a step of/]) {
        expect(after).toContainEqual(expect.stringMatching(sign));
      }
    },
  );

  it('ends a running sandbox within five seconds at level stop, keeps its work, and goes on to publish once', async () => {
    const where = theLine();
    const tokensBefore = (await where.github.control.tokens()).length;
    where.setScript([
      { do: 'write', path: 'HALF.md', content: 'half\n' },
      { do: 'ignoreTerm' },
      { do: 'sleep', ms: 60_000 },
    ]);
    const asked = await ask(where);
    const id = await until(where, asked, 'step_started');
    await expect.poll(() => countSandboxes(where), { timeout: 20_000 }).toBeGreaterThan(0);
    await sleep(1_000);
    const halted = runCommand(state.path, 'halt', '--level', 'stop', '--reason', 'a test');
    await until(where, asked, 'step_ended');
    expect((await halted).code).toBe(0);
    const [halt] = ((await halted).answer?.['halts'] ?? []) as { since: string }[];
    const endedIn = async (): Promise<number> => {
      await expect.poll(() => countSandboxes(where), { timeout: 10_000, interval: 20 }).toBe(0);
      return Date.now() - Date.parse(String(halt?.since));
    };
    expect(await endedIn()).toBeLessThan(5_500);
    await until(where, asked, 'run_suspended');
    const { rows } = await where.db.query(
      'select t.state as task, r.state as run from task t join run r on r.task_id = t.id where t.id = $1',
      [id],
    );
    expect(rows).toEqual([{ task: 'running', run: 'suspended' }]);
    const events = await readTimeline(where.db, id);
    expect(events.find(({ kind }) => kind === 'step_ended')?.data).toMatchObject({
      reason: 'halted',
    });
    expect(events.find(({ kind }) => kind === 'tree_compared')?.data).toMatchObject({
      paths: [expect.objectContaining({ path: 'HALF.md' })],
    });
    where.setScript(SAMPLE_FIX);
    expect((await runCommand(state.path, 'resume')).code).toBe(0);
    await expectPublishedOnce(where, asked);
    await expectTidy(where, tokensBefore);
  });
});

it('a halt of one repository leaves another alone, and lifting it lifts no other', async () => {
  const where = theLine();
  const other = await where.addRepository('other');
  await expectPublishedOnce(where, await ask(where));
  const { code, answer } = await runCommand(
    state.path,
    'halt',
    '--repo',
    where.repo,
    '--reason',
    'x',
  );
  const scope = `repo:${String(where.github.repos[0]?.id)}`;
  expect({ code, halts: answer?.['halts'] }).toMatchObject({ code: 0, halts: [{ scope }] });
  const waits = await ask(where);
  await expectPublishedOnce(other, await ask(other));
  const { rows } = await where.db.query(
    'select t.state from task t join delivery d on d.id = t.delivery_id where d.guid = $1',
    [waits.guid],
  );
  expect(rows).toEqual([{ state: 'assessing' }]);
  await runCommand(state.path, 'halt', '--reason', 'everything too');
  expect((await runCommand(state.path, 'resume')).answer?.['halts']).toMatchObject([{ scope }]);
  expect((await runCommand(state.path, 'resume', '--repo', where.repo)).answer).toMatchObject({
    lifted: true,
    halts: [],
  });
  await expectPublishedOnce(where, waits);
});

it('the commands answer with their exit codes and one object on the last line', async () => {
  const where = theLine();
  const { guid } = await ask(where);
  const { task } = await awaitTask(where.db, guid, { timeoutMs: 90_000 });
  expect((await runCommand(state.path, 'halt')).code).toBe(2);
  const living = where.deployment.processes.map(({ name }) => name);
  const status = await runCommand(state.path, 'status');
  expect(status).toMatchObject({ code: 0, answer: { halts: [], waitingFor: [] } });
  const acknowledged = ((status.answer?.['acknowledged'] ?? []) as string[]).map(
    (one) => one.split('@')[0],
  );
  expect(acknowledged.toSorted()).toEqual([...living].toSorted());
  expect(await runCommand(state.path, 'resume')).toMatchObject({
    code: 1,
    answer: { lifted: false },
  });
  const [tasks, one, none, timeline, queues] = await Promise.all([
    runCommand(state.path, 'tasks'),
    runCommand(state.path, 'task', task.id),
    runCommand(state.path, 'task', 'ffffffff'),
    runCommand(state.path, 'timeline', task.id, '--verify'),
    runCommand(state.path, 'queues'),
  ]);
  const [newest] = (tasks.answer?.['tasks'] ?? []) as unknown[];
  expect(newest).toMatchObject({ id: task.id, state: 'published' });
  expect(one).toMatchObject({
    code: 0,
    answer: { task: { id: task.id, state: 'published' } },
  });
  expect(none.code).toBe(1);
  expect(timeline).toMatchObject({
    code: 0,
    answer: { task: task.id, verified: true, problem: null },
  });
  expect(queues).toMatchObject({ code: 0, answer: { outbox: [] } });
  expect(queues.answer?.['queues']).toContainEqual(expect.objectContaining({ name: 'publish' }));
});
