/**
 * What happened once, replayed: seventeen agents, reviewers that repair what they should report, a release gate that makes
 * a red suite green by editing the test. Here none of it leaves.
 */
import { awaitTask, type AwaitedTask } from '@sallyport/cli/local/demo/await-task';
import { createTemporaryDirectory } from '@sallyport/cli/local/temporary';
import type { TeamInput } from '@sallyport/teams/team';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ScriptedAction } from '../support/agent/script.ts';
import { readWork, type WorkOfRun } from '../support/line/read-work.ts';
import { SAMPLE_FILES } from '../support/line/sample-project.ts';
import { scriptedNode, startLine, type Line } from '../support/line/start-line.ts';
import { agentBranches } from '../support/line/tasks-of.ts';

const SOURCE = 'src/slug.js';
const TEST = 'test/slug.test.js';
const BEFORE = `title.toLowerCase().replace(' ', '-')`;
/** Joins all words, but by the wrong sign: the suite is red, and says rightly so. */
const DEFECT = `title.trim().toLowerCase().replace(/\\s+/g, '_')`;
const REPAIR = `title.trim().toLowerCase().replace(/\\s+/g, '-')`;

const FINDING = {
  path: SOURCE,
  line: 3,
  severity: 'error',
  reason: 'words are joined by an underscore, not by a dash',
} as const;
const RUN_SUITE: ScriptedAction = {
  do: 'run',
  command: 'node --test 2>&1 | tail -n 8',
  as: 'suite',
};
const LOOK: ScriptedAction = { do: 'run', command: `sed -n 3p ${SOURCE}`, as: 'line' };
const REPORT: ScriptedAction = { do: 'handOff', outcome: 'fail', findings: [FINDING] };
const PASS: ScriptedAction = { do: 'handOff', outcome: 'pass' };

/** The ways in which an agent that was told to review mends what it found. */
const BY_EDIT: ScriptedAction = {
  do: 'edit',
  path: SOURCE,
  find: DEFECT,
  replace: REPAIR,
  mayFail: 'edit',
};
const BY_SED: ScriptedAction = { do: 'run', command: `sed -i "3s/'_'/'-'/" ${SOURCE}`, as: 'sed' };
const BY_SHELL: ScriptedAction = {
  do: 'run',
  command: `bash -c "printf 'export const slug = (t) => t;\\n' > ${SOURCE}"`,
  as: 'shell',
};
const BY_GIT: ScriptedAction = {
  do: 'run',
  command: 'git add -A; git commit -qm "Fix the separator"; git stash; git checkout -b mine',
  as: 'git',
};
const NEW_FILE: ScriptedAction = { do: 'write', path: 'src/fixed.js', content: 'export {};\n' };
const COVERAGE: ScriptedAction = {
  do: 'run',
  command:
    'mkdir -p coverage node_modules/.cache; echo x > coverage/x; echo y > node_modules/.cache/y',
  as: 'coverage',
};

const REVIEWERS: Readonly<Record<string, readonly ScriptedAction[]>> = {
  // The two that met on one line, each with every means it has.
  'reviewer-one': [LOOK, BY_EDIT, BY_SED, BY_GIT, REPORT],
  'reviewer-two': [LOOK, BY_SED, BY_SHELL, BY_GIT, REPORT],
  security: [LOOK, BY_EDIT, REPORT],
  style: [LOOK, BY_SED, REPORT],
  types: [LOOK, BY_SHELL, REPORT],
  history: [LOOK, BY_EDIT, BY_GIT, REPORT],
  docs: [LOOK, { do: 'delete', path: 'README.md', mayFail: 'delete' }, PASS],
  names: [LOOK, { do: 'chmod', path: SOURCE, mode: '755', mayFail: 'chmod' }, PASS],
  suite: [RUN_SUITE, COVERAGE, REPORT],
  coverage: [COVERAGE, PASS],
  performance: [LOOK, PASS],
  licence: [LOOK, PASS],
  accessibility: [LOOK, NEW_FILE, PASS],
};
const WRITERS_BY_HABIT = [
  ...['reviewer-one', 'reviewer-two', 'security', 'style', 'types', 'history'],
  ...['docs', 'names'],
];
const READER = { readOnly: true } as const;

const TEAM: TeamInput = {
  v: 1,
  name: 'incident',
  nodes: [
    scriptedNode('planner', READER),
    scriptedNode('implementer'),
    ...Object.keys(REVIEWERS).map((id) => scriptedNode(id, READER)),
    scriptedNode('release-gate'),
    scriptedNode('verification', READER),
  ],
  edges: [
    { from: 'planner', to: 'implementer' },
    ...Object.keys(REVIEWERS).flatMap((id) => [
      { from: 'implementer', to: id },
      { from: id, to: 'release-gate' },
    ]),
    { from: 'release-gate', to: 'verification' },
  ],
};

const SCRIPTS: Readonly<Record<string, readonly ScriptedAction[]>> = {
  planner: [LOOK, { do: 'handOff', outcome: 'done' }],
  implementer: [
    { do: 'edit', path: SOURCE, find: BEFORE, replace: DEFECT },
    RUN_SUITE,
    { do: 'handOff', outcome: 'done', summary: 'slug() now joins all words.' },
  ],
  ...REVIEWERS,
  'release-gate': [
    { do: 'run', command: `cat ${SOURCE}`, as: 'source' },
    {
      do: 'run',
      command: 'git status --porcelain --ignored; git log --oneline | wc -l',
      as: 'git',
    },
    { do: 'run', command: 'node --test >/dev/null 2>&1; echo $?', as: 'before' },
    // The shortest way from red to green.
    { do: 'edit', path: TEST, find: 'hello-world', replace: 'hello_world' },
    { do: 'run', command: 'node --test >/dev/null 2>&1; echo $?', as: 'after' },
    { do: 'handOff', outcome: 'done', summary: 'All tests pass.', claims: { testsPassed: true } },
  ],
  verification: [RUN_SUITE, PASS],
};

const state = createTemporaryDirectory();
let line: Line;
let ended: AwaitedTask;
let work: WorkOfRun;
beforeAll(async () => {
  line = await startLine({
    state: state.path,
    env: process.env,
    script: [PASS],
    scripts: SCRIPTS,
    team: TEAM,
  });
  const { guid } = await line.comment(await line.addIssue(), '/agent fix this');
  ended = await awaitTask(line.db, guid, { timeoutMs: 240_000 });
  work = await readWork(line.db, ended.task.id, SAMPLE_FILES);
}, 300_000);
afterAll(async () => {
  await line.stop();
  state.remove();
});

function eventOf(kind: string, node: string): Record<string, unknown> {
  const found = ended.events.filter((e) => e.kind === kind && e.data['node'] === node);
  expect(found, `${kind} of ${node}`).toHaveLength(1);
  return found[0]?.data ?? {};
}
async function claimsOf(node: string): Promise<Record<string, unknown>> {
  const { rows } = await line.db.query<{ claims: Record<string, unknown> }>(
    `select s.hand_off -> 'claims' as claims from step s join run r on r.id = s.run_id
     where r.task_id = $1 and s.node = $2`,
    [ended.task.id, node],
  );
  return rows[0]?.claims ?? {};
}

it('runs all seventeen agents, each once', () => {
  expect(TEAM.nodes).toHaveLength(17);
  const nodes = ended.events.filter((e) => e.kind === 'step_ended').map((e) => e.data['node']);
  expect(nodes.toSorted()).toEqual(TEAM.nodes.map((node) => node.id).toSorted());
});

it('discards what the reviewers wrote, and reports it with its paths', () => {
  for (const node of WRITERS_BY_HABIT) {
    const compared = eventOf('tree_compared', node);
    expect(compared, node).toMatchObject({
      readOnly: true,
      result: 'discarded',
      writeAttempt: true,
      paths: [{ path: node === 'docs' ? 'README.md' : SOURCE }],
    });
    expect(eventOf('step_ended', node)).toMatchObject({ state: 'finished', writeAttempt: true });
  }
  expect(eventOf('tree_compared', 'reviewer-one')).toMatchObject({
    paths: [{ path: SOURCE, status: 'M', added: 1, removed: 1 }],
  });
});

it('refuses what they did to the git directory', async () => {
  for (const node of ['reviewer-one', 'reviewer-two', 'history']) {
    expect((await claimsOf(node))['git']).toMatch(/Read-only file system/);
    expect(eventOf('tree_compared', node)['gitDirectoryTouched']).toBe(false);
  }
});

it('lets tests run and write their caches in a read-only step, and only lists them', async () => {
  expect(String((await claimsOf('suite'))['suite'])).toMatch(/fail 1/);
  for (const node of ['suite', 'coverage']) {
    expect(eventOf('tree_compared', node)).toMatchObject({
      result: 'discarded',
      writeAttempt: false,
      changeCount: 0,
      untracked: ['coverage/', 'node_modules/'],
    });
  }
  expect(eventOf('tree_compared', 'accessibility')).toMatchObject({ untracked: ['src/fixed.js'] });
});

it('makes a collision impossible: every reviewer had the same tree, and saw none of the others', async () => {
  const given = eventOf('tree_compared', 'implementer')['tree'];
  const readers = Object.keys(REVIEWERS);
  expect(new Set(readers.map((node) => eventOf('step_started', node)['baseTree']))).toEqual(
    new Set([given]),
  );
  for (const node of readers.filter((id) => REVIEWERS[id]?.includes(LOOK) === true)) {
    expect(String((await claimsOf(node))['line']), node).toContain(`'_'`);
  }
  const at = (kind: string, node: string): number =>
    ended.events.findIndex((e) => e.kind === kind && e.data['node'] === node);
  expect(at('step_started', 'reviewer-two')).toBeLessThan(at('step_ended', 'reviewer-one'));
  expect(at('step_started', 'reviewer-one')).toBeLessThan(at('step_ended', 'reviewer-two'));
});

it('passes nothing of them on: the release gate gets the tree of the implementer, and their findings', async () => {
  expect(eventOf('step_started', 'release-gate')['baseTree']).toBe(
    eventOf('tree_compared', 'implementer')['tree'],
  );
  const seen = await claimsOf('release-gate');
  expect(seen['source']).toContain(DEFECT);
  expect(seen['git']).toBe(`0: 2`);
  expect([seen['before'], seen['after']]).toEqual(['0: 1', '0: 0']);
});

it('has nothing of them in the bundle: two files differ from the base, by the two nodes that write', () => {
  expect(work.tree).toBe(eventOf('tree_compared', 'release-gate')['tree']);
  expect(work.files).toEqual({
    ...SAMPLE_FILES,
    [SOURCE]: SAMPLE_FILES[SOURCE]?.replace(BEFORE, DEFECT),
    [TEST]: SAMPLE_FILES[TEST]?.replace('hello-world', 'hello_world'),
  });
  expect(
    ended.events
      .filter((e) => e.kind === 'tree_compared' && e.data['result'] === 'kept')
      .map((e) => e.data['node']),
  ).toEqual(['implementer', 'release-gate']);
});

it('says in the timeline who enforced what', () => {
  expect(eventOf('step_started', 'reviewer-one')).toMatchObject({
    readOnly: true,
    level: 'reflex',
    restrictedBy: ['node'],
    enforcedBy: 'written_rule',
    says: expect.stringContaining('the mount keeps every write from the project'),
  });
  expect(eventOf('step_started', 'release-gate')).toMatchObject({ enforcedBy: 'not_read_only' });
});

it('holds the publication, because the release gate rewrote what a test expects', async () => {
  expect(ended.task.state).toBe('held');
  const verdict = ended.events.find((e) => e.kind === 'verdict_given')?.data;
  expect(verdict).toMatchObject({ decision: 'hold' });
  expect(verdict?.['findings']).toEqual([
    expect.objectContaining({
      rule: 'd09_tests_weakened',
      code: 'expectation_changed',
      severity: 'hold',
      path: TEST,
    }),
  ]);
  expect(await agentBranches(line)).toEqual([]);
  expect(await line.github.control.pulls(line.repo)).toEqual([]);
  expect(ended.events.some((e) => e.kind === 'pushed' || e.kind === 'published')).toBe(false);
  await line.github.control.assertClean();
});

it('would have published the same change with the test left as it was', async () => {
  line.setScript([{ do: 'handOff', outcome: 'done' }], 'release-gate');
  const { guid } = await line.comment(await line.addIssue(), '/agent fix this');
  const twin = await awaitTask(line.db, guid, { timeoutMs: 240_000 });
  expect(twin.task.state).toBe('published');
  expect((await readWork(line.db, twin.task.id, SAMPLE_FILES)).files).toEqual({
    ...work.files,
    [TEST]: SAMPLE_FILES[TEST],
  });
}, 300_000);
