/**
 * A team that stands in the repository, through the whole line: chosen by name, read at the commit that the run starts from,
 * run node by node; and what it may not be.
 */
import { createTemporaryDirectory } from '@sallyport/cli/local/temporary';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { SAMPLE_FIX } from '../support/line/sample-project.ts';
import { startLine, type Line } from '../support/line/start-line.ts';
import { askAndWait, botComments } from '../support/line/tasks-of.ts';

const FILE = '.sallyport/teams/pair.yaml';
const PAIR = `v: 1
name: pair
nodes:
  - id: dev
    agent: { cli: scripted, args: [--script, /agent-script/dev.json] }
    prompt: You are dev.
  - id: qa
    agent: { cli: scripted, args: [--script, /agent-script/qa.json] }
    prompt: You are qa.
    readOnly: true
edges:
  - { from: dev, to: qa, on: done }
`;

let line: Line;
const state = createTemporaryDirectory();
beforeAll(async () => {
  line = await startLine({
    state: state.path,
    env: process.env,
    script: SAMPLE_FIX,
    scripts: { dev: SAMPLE_FIX, qa: [{ do: 'handOff', outcome: 'pass' }] },
    repositoryTeams: {
      allow: true,
      clis: ['scripted'],
      args: ['--script', '/agent-script/dev.json', '/agent-script/qa.json'],
    },
  });
});
afterAll(async () => {
  await line.stop();
  state.remove();
});
afterEach(() => line.github.control.assertClean());

async function commit(content: string): Promise<void> {
  await line.github.control.commit({ repo: line.repo, branch: 'main', files: { [FILE]: content } });
}

async function stepsOf(taskId: string): Promise<unknown[]> {
  const { rows } = await line.db.query(
    `select s.node, s.read_only as "readOnly", s.hand_off ->> 'outcome' as outcome
     from step s join run r on r.id = s.run_id where r.task_id = $1 order by s.started_at`,
    [taskId],
  );
  return rows;
}

it('runs the nodes of the team that the base commit has, up to the pull request', async () => {
  await commit(PAIR);
  const { task } = await askAndWait(line, '/agent fix --team pair slugs of many words');
  expect(task).toMatchObject({ state: 'published' });
  expect(await stepsOf(task.id)).toEqual([
    { node: 'dev', readOnly: false, outcome: 'done' },
    { node: 'qa', readOnly: true, outcome: 'pass' },
  ]);
});

it('runs another team as soon as another commit is the base, and none that starts a program of its own', async () => {
  await commit(PAIR.replace('id: qa', 'id: tester').replace('to: qa', 'to: tester'));
  const renamed = await askAndWait(line, '/agent fix --team pair');
  expect(await stepsOf(renamed.task.id)).toMatchObject([{ node: 'dev' }, { node: 'tester' }]);

  await commit(PAIR.replace('cli: scripted', 'cli: scripted, command: /bin/sh'));
  const { task, issue } = await askAndWait(line, '/agent fix --team pair');
  expect(task.state).toBe('refused');
  expect(await stepsOf(task.id)).toEqual([]);
  await expect
    .poll(() => botComments(line, issue), { timeout: 20_000 })
    .toEqual([expect.stringMatching(/line 5, column \d+: node "dev": agent\.command may not/)]);
});
