/** What can be wrong with an environment, each time with what the timeline says of it and that nothing of it is kept. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { liftHalt, setHalt } from '@sallyport/shared/db/halt';
import type { Environment } from '@sallyport/teams/environment/environment';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptedAction } from '../support/agent/script.ts';
import {
  createLauncherFixture,
  type LauncherFixture,
  type Look,
  type ScriptedTask,
} from '../integration/launcher/launcher-fixture.ts';

const DONE: ScriptedAction = { do: 'handOff', outcome: 'done' };

type Asked = Partial<Omit<Environment, 'v'>>;
/** By the name of a repository, what the operator gives it. */
const GIVEN: Readonly<Record<string, Asked>> = {
  good: {},
  fails: {
    commands: ['echo before', 'echo token ghp_0123456789abcdef0123456789abcdef0123; exit 3'],
  },
  slow: { commands: ['sleep 60'] },
  loud: { commands: ['head -c 40000000 /dev/zero'] },
  link: { commands: ['ln -s /etc made'] },
  nothing: { commands: ['true'] },
  tracked: { commands: ['mkdir made && echo x > made/x', 'echo changed > README.md; rm lock'] },
  'no-lock': { lockfiles: ['lock', 'absent.lock'] },
  egress: { network: 'registries' },
  unlent: { registries: ['gone'] },
  unknown: { registries: ['other'] },
  network: {
    commands: ['mkdir made', 'cat /proc/net/route > made/routes; env > made/env; ls / > made/root'],
  },
  waits: {
    registries: ['flags'],
    commands: [
      'while ! test -e /registry/flags/go; do sleep 0.1; done',
      'mkdir made && echo x > made/x',
    ],
  },
};

let fixture: LauncherFixture;
beforeAll(async () => {
  fixture = await createLauncherFixture({
    'README.md': '# Project\n',
    lock: 'lock 1\n',
    'src/main.js': 'export const answer = 41;\n',
    '.sallyport/environment.yaml':
      'v: 1\ncomands: [make]\nlockfiles: [lock]\nproduces:\n  - ../out\n',
  });
  const file = join(fixture.directory, 'environments.json');
  mkdirSync(join(fixture.directory, 'flags'));
  const usual = {
    v: 1,
    commands: ['mkdir made && echo x > made/x'],
    lockfiles: ['lock'],
    produces: ['made'],
  };
  writeFileSync(
    file,
    JSON.stringify({
      registries: {
        flags: { directory: join(fixture.directory, 'flags') },
        gone: { directory: join(fixture.directory, 'not-there') },
      },
      repositories: {
        ...Object.fromEntries(
          Object.entries(GIVEN).map(([name, asked]) => [`octo/${name}`, { ...usual, ...asked }]),
        ),
        'octo/none': null,
      },
    }),
  );
  await fixture.launch({ ENVIRONMENTS_FILE: file });
});
afterAll(() => fixture.close());

/** A task for the repository of this name; `more` is said of its ticket. */
function seed(
  name: string,
  options: { wallSeconds?: number; repositoryId?: number; script?: readonly ScriptedAction[] } = {},
): Promise<ScriptedTask> {
  const { wallSeconds, repositoryId, script } = options;
  return fixture.seed(script ?? [DONE], {
    ...(repositoryId === undefined ? {} : { repositoryId }),
    claims: (claims) => ({
      ...claims,
      repository: { ...claims.repository, name },
      limits: { ...claims.limits, wall_seconds: wallSeconds ?? claims.limits.wall_seconds },
    }),
  });
}
function dataOf({ events }: Look, kind: string): Record<string, unknown> {
  return events.find((e) => e.kind === kind)?.data ?? {};
}
/** What is kept of environments on this host, for one repository. */
function kept(repositoryId = 22): string[] {
  try {
    return readdirSync(join(fixture.stateDir, 'environments', String(repositoryId)));
  } catch {
    return [];
  }
}

describe('the run fails before any agent is started, and says why:', () => {
  test.each([
    ['fails', 'command_failed', 'a command exited with 3'],
    ['slow', 'timed_out', 'did not end within'],
    ['loud', 'output_limit', 'printed more'],
    ['link', 'produced_link_in_path', 'made is a link'],
    ['nothing', 'nothing_produced', 'name under "produces"'],
    ['no-lock', 'lockfile_missing', 'has no file absent.lock'],
    ['egress', 'registry_egress_unavailable', 'write network: none'],
    ['unlent', 'start_failed', 'not-there is not there'],
    ['unknown', 'registry_unknown', 'there are: flags, gone'],
    ['repo', 'file_unusable', '.sallyport/environment.yaml:2:1: "comands" is not known here'],
  ])('%s: %s', async (name, reason, words) => {
    const before = kept();
    const task = await seed(name, { wallSeconds: name === 'slow' ? 2 : 60 });
    const { stateReason } = await fixture.until(task.taskId, 'failed');
    expect(stateReason).toBe('environment_failed');
    const look = await fixture.look(task);
    expect(look.steps).toEqual([]);
    expect(look.kinds.slice(-2)).toEqual(['environment_failed', 'task_ended']);
    const data = dataOf(look, 'environment_failed');
    expect(data).toMatchObject({ reason, message: expect.stringContaining(words) });
    expect(data['says']).toContain(words);
    expect(kept()).toEqual(before);
  });

  test('with the last words of its commands, and no credential in them', async () => {
    const task = await seed('fails');
    await fixture.until(task.taskId, 'failed');
    const data = dataOf(await fixture.look(task), 'environment_failed');
    expect(data['tail']).toBe(
      '+ echo before\nbefore\n+ echo token [redacted]; exit 3\ntoken [redacted]\n',
    );
    expect(data['transcriptArtifactId']).not.toBeNull();
  });

  test('with every problem of the file, each at its place', async () => {
    const task = await seed('repo');
    await fixture.until(task.taskId, 'failed');
    const { message } = dataOf(await fixture.look(task), 'environment_failed');
    expect(
      String(message)
        .split('\n')
        .map((line) => line.split(': ')[0]),
    ).toEqual(['.sallyport/environment.yaml:2:1', '.sallyport/environment.yaml:5:5']);
  });
});

test('the twin of all these is made, and a repository whose operator wants none has none', async () => {
  const good = await seed('good', { script: [{ do: 'readFile', path: 'made/x', as: 'x' }, DONE] });
  await fixture.until(good.taskId, 'collected');
  const look = await fixture.look(good);
  expect(dataOf(look, 'environment_ready')).toMatchObject({ from: 'operator', cached: false });
  expect(look.steps[0]?.handOff).toMatchObject({ claims: { x: 'x\n' } });
  const none = await seed('none');
  await fixture.until(none.taskId, 'collected');
  expect((await fixture.look(none)).kinds.filter((k) => k.startsWith('environment'))).toEqual([]);
});

test('tracked files that its commands change are named and stay as they were', async () => {
  const task = await seed('tracked', {
    script: [
      { do: 'run', command: 'cat README.md lock; git status --porcelain', as: 'seen' },
      DONE,
    ],
  });
  await fixture.until(task.taskId, 'collected');
  const look = await fixture.look(task);
  expect(dataOf(look, 'environment_ready')).toMatchObject({
    changedCount: 2,
    changed: ['README.md', 'lock'],
    says: expect.stringContaining('not carried on (README.md, lock)'),
  });
  expect(look.steps[0]?.handOff).toMatchObject({
    claims: { seen: '0: # Project\nlock 1\n?? made/' },
  });
  expect(dataOf(look, 'bundle_collected')).toMatchObject({ empty: true });
});

test('its commands have no network, no agent, and nothing of a task', async () => {
  const read = ['routes', 'env', 'root'].map((name): ScriptedAction => ({
    do: 'readFile',
    path: `made/${name}`,
    as: name,
  }));
  const task = await seed('network', { script: [...read, DONE] });
  await fixture.until(task.taskId, 'collected');
  const { steps } = await fixture.look(task);
  const handOff = steps[0]?.handOff as { claims?: Record<string, string> } | null | undefined;
  const claims = handOff?.claims ?? {};
  expect(claims['routes']?.trim().split('\n')).toHaveLength(1);
  expect(claims['env']).not.toMatch(/SALLYPORT|DATABASE|REDIS/);
  const root = claims['root']?.trim().split('\n') ?? [];
  expect(root).toContain('work');
  expect(root.filter((name) => ['agent', 'scripts', 'in', 'out'].includes(name))).toEqual([]);
});

test('another repository with the same files and commands has one of its own', async () => {
  const [ours, theirs] = await Promise.all([
    seed('good', { repositoryId: 31 }),
    seed('good', { repositoryId: 32 }),
  ]);
  const keys = [];
  for (const task of [ours, theirs]) {
    await fixture.until(task.taskId, 'collected');
    const data = dataOf(await fixture.look(task), 'environment_ready');
    expect(data['cached']).toBe(false);
    keys.push(data['key']);
  }
  expect(keys[0]).not.toBe(keys[1]);
  expect([kept(31), kept(32)].map((names) => names.length)).toEqual([1, 1]);
});

test('two runs that need the same at once both get it', async () => {
  const tasks = await Promise.all([1, 2].map(() => seed('good', { repositoryId: 33 })));
  for (const task of tasks) {
    await fixture.until(task.taskId, 'collected');
    expect(dataOf(await fixture.look(task), 'environment_ready')).toHaveProperty('key');
  }
  expect(kept(33).length).toBeLessThanOrEqual(2);
});

test('one whose record is broken, or whose layer is gone, is never used', async () => {
  async function isCached(): Promise<unknown> {
    const task = await seed('good', { repositoryId: 34 });
    await fixture.until(task.taskId, 'collected');
    return dataOf(await fixture.look(task), 'environment_ready')['cached'];
  }
  expect(await isCached()).toBe(false);
  expect(await isCached()).toBe(true);
  const directory = join(fixture.stateDir, 'environments/34', kept(34)[0] ?? '');
  writeFileSync(join(directory, 'environment.json'), '{"v": 1, "key"');
  expect(await isCached()).toBe(false);
  expect(await isCached()).toBe(true);
  for (const name of kept(34)) {
    const layer = join(fixture.stateDir, 'environments/34', name, 'layer');
    rmSync(layer, { recursive: true, force: true });
  }
  expect(await isCached()).toBe(false);
});

test('a stop ends its commands within five seconds, and after the release they run anew', async () => {
  const task = await seed('waits', { repositoryId: 35 });
  await fixture.eventually('its commands run', () => kept(35).length === 1);
  await sleep(1_000);
  const operator = fixture.deployment.pool('operator');
  const from = performance.now();
  await setHalt(operator, 'all', 'stop', 'a test', 'tester');
  await fixture.eventually(
    'nothing is left',
    () => kept(35).length === 0 && fixture.leftFiles().length === 0,
    10,
  );
  expect(performance.now() - from).toBeLessThan(5_000);
  await fixture.eventually(
    'the run is suspended',
    async () => (await fixture.look(task)).run.state === 'suspended',
  );
  expect((await fixture.look(task)).kinds).not.toContain('environment_failed');
  writeFileSync(join(fixture.directory, 'flags/go'), '');
  await liftHalt(operator, 'all', 'tester');
  await fixture.until(task.taskId, 'collected');
  expect(dataOf(await fixture.look(task), 'environment_ready')).toMatchObject({ cached: false });
});

test('a launcher that takes a run over finds the environment, or makes it again', async () => {
  rmSync(join(fixture.directory, 'flags/go'), { force: true });
  const half = await seed('waits', { repositoryId: 36 });
  await fixture.eventually('its commands run', () => kept(36).length === 1);
  const whole = await seed('good', {
    repositoryId: 37,
    script: [{ do: 'run', command: 'test -e /scripts/go || sleep 60' }, DONE],
  });
  await fixture.untilAgentRuns(whole);
  await fixture.killLaunchers();
  writeFileSync(join(fixture.directory, 'flags/go'), '');
  fixture.allowGo();
  await fixture.launch({ ENVIRONMENTS_FILE: join(fixture.directory, 'environments.json') });
  for (const task of [half, whole]) await fixture.until(task.taskId, 'collected', 40);
  const cached = (look: Look): unknown[] =>
    look.events.filter((e) => e.kind === 'environment_ready').map((e) => e.data['cached']);
  expect(cached(await fixture.look(half))).toEqual([false]);
  expect(cached(await fixture.look(whole))).toEqual([false, true]);
});
