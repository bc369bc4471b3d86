import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ScriptedAction } from '../support/agent/script.ts';
import {
  createLauncherFixture,
  type LauncherFixture,
  type ScriptedTask,
} from '../integration/launcher/launcher-fixture.ts';

let fixture: LauncherFixture;
beforeAll(async () => {
  fixture = await createLauncherFixture();
});
afterEach(() => fixture.killLaunchers());
afterAll(() => fixture.close());

const edges = [
  { from: 'dev', to: 'qa' },
  { from: 'qa', to: 'dev', on: 'fail' },
] as const;
/** Waits in the second visit until the test lets it go on. */
const WAIT: ScriptedAction = {
  do: 'run',
  command: 'until [ -e /scripts/go ]; do sleep 0.1; done',
  visits: [2],
};

function seedLoop(): Promise<ScriptedTask> {
  return fixture.seedTeam(
    {
      dev: {
        script: [
          { do: 'run', command: 'echo round >> log.txt' },
          { do: 'handOff', outcome: 'done' },
        ],
      },
      qa: {
        readOnly: true,
        script: [
          { do: 'run', command: 'cat log.txt', as: 'log' },
          { do: 'write', path: 'README.md', content: 'by a reader' },
          WAIT,
          { do: 'handOff', outcome: 'fail', visits: [1, 2] },
          { do: 'handOff', outcome: 'pass', visits: [3] },
        ],
      },
    },
    edges,
  );
}

async function untilSecondVisit(task: ScriptedTask): Promise<void> {
  await fixture.eventually(
    'the second visit of qa is at work',
    async () => {
      const { steps } = await fixture.look(task);
      return steps.some((s) => s.node === 'qa' && s.visit === 2 && s.state === 'started');
    },
    40,
  );
  await fixture.untilAgentRuns(task);
}

test('a loop that comes back to a read-only node three times, once after its launcher was killed, holds it to the same policy', async () => {
  const task = await seedLoop();
  // Of another host: nothing of the first one's files is there for the second.
  const first = await fixture.launch({ STATE_DIR: join(fixture.directory, 'first') });
  await untilSecondVisit(task);
  await first.kill();
  fixture.allowGo();
  await fixture.launch({ STATE_DIR: join(fixture.directory, 'second') });
  await fixture.until(task.taskId, 'collected', 60);
  const look = await fixture.look(task);
  expect(look.steps.map((s) => `${s.node}.${s.visit}.${s.attempt} ${s.state}`)).toEqual([
    'dev.1.1 finished',
    'qa.1.1 finished',
    'dev.2.1 finished',
    'qa.2.1 failed',
    'qa.2.2 finished',
    'dev.3.1 finished',
    'qa.3.1 finished',
  ]);
  const readers = look.steps.filter((s) => s.node === 'qa');
  expect(new Set(readers.map((s) => s.policyHash)).size).toBe(1);
  expect(
    readers.map((s) => (s.handOff as { claims?: { log?: string } } | null)?.claims?.log),
  ).toEqual(['0: round', undefined, '0: round\nround', '0: round\nround\nround']);
  const { files } = fixture.source.applyBundle(await look.bundle(), task.branch);
  expect(files).toMatchObject({ 'log.txt': 'round\nround\nround\n', 'README.md': '# Project\n' });
}, 150_000);

test('a node that would come back under another policy does not start, and its run fails', async () => {
  const agents = join(fixture.directory, 'AGENTS_FILE');
  const offered = JSON.parse(readFileSync(agents, 'utf8')) as {
    scripted: { argv: string[]; env?: Record<string, string> };
  };
  const task = await seedLoop();
  fixture.forbidGo();
  const first = await fixture.launch();
  await untilSecondVisit(task);
  await first.kill();
  const changed = { scripted: { ...offered.scripted, env: { AGENT_MODE: 'anything-goes' } } };
  writeFileSync(agents, JSON.stringify(changed));
  fixture.allowGo();
  const second = await fixture.launch();
  expect(await fixture.until(task.taskId, 'failed', 60)).toMatchObject({
    stateReason: 'policy_weakened',
  });
  const look = await fixture.look(task);
  expect(look.steps.map((s) => `${s.node}.${s.visit}.${s.attempt} ${s.state}`)).toEqual([
    'dev.1.1 finished',
    'qa.1.1 finished',
    'dev.2.1 finished',
    'qa.2.1 failed',
  ]);
  expect(String(look.events.at(-1)?.data['message'])).toContain(
    'node qa would start under the policy',
  );
  // The twin: a run that begins under the changed policy ends under it.
  const twin = await seedLoop();
  await fixture.until(twin.taskId, 'collected', 60);
  await second.stop();
  writeFileSync(agents, JSON.stringify(offered));
}, 180_000);

test('a team that is another than the ticket says is not gone on with', async () => {
  const { admin } = fixture.deployment;
  fixture.forbidGo();
  const task = await seedLoop();
  const first = await fixture.launch();
  await untilSecondVisit(task);
  await first.kill();
  await admin.query(
    `update team_version set content = jsonb_set(content::jsonb, '{nodes,1,readOnly}', 'false') where hash = $1`,
    [task.claims.team.hash],
  );
  fixture.allowGo();
  await fixture.launch();
  expect(await fixture.until(task.taskId, 'refused', 60)).toMatchObject({
    stateReason: 'ticket_team_changed',
  });
}, 120_000);
