import { setTimeout as sleep } from 'node:timers/promises';
import { liftHalt, setHalt } from '@sallyport/shared/db/halt';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  createLauncherFixture,
  type Launcher,
  type LauncherFixture,
} from '../integration/launcher/launcher-fixture.ts';
import type { ScriptedAction } from '../support/agent/script.ts';
import { createDriverRig, type DriverRig } from './driver-rig.ts';

const DEVELOPER: readonly ScriptedAction[] = [
  { do: 'edit', path: 'src/main.js', find: '41', replace: '42' },
  { do: 'delete', path: 'README.md' },
  { do: 'write', path: 'src/new.js', content: 'export {};\n' },
  { do: 'run', command: 'git log --oneline | wc -l', as: 'history' },
  { do: 'connect', host: '127.0.0.1', port: 6379, as: 'network' },
  { do: 'run', command: 'touch /in/x', as: 'in' },
  { do: 'handOff', outcome: 'done', summary: 'mended' },
];
const REVIEWER: readonly ScriptedAction[] = [
  { do: 'run', command: 'cat src/main.js; git commit -qam hack', as: 'seen' },
  { do: 'write', path: 'src/main.js', content: 'written by a reader\n' },
  { do: 'handOff', outcome: 'pass' },
];

let rig: DriverRig;
let fixture: LauncherFixture;
beforeAll(async () => {
  rig = await createDriverRig(inject('engineSocket'));
  fixture = await createLauncherFixture(undefined, { inlineScripts: true });
});
afterAll(async () => {
  await fixture?.close();
  await rig?.close();
});

function launch(env: Record<string, string> = {}): Promise<Launcher> {
  return fixture.launch({
    SANDBOX_DRIVER: 'docker',
    GUARD_SOCKET: rig.guardSocket,
    SANDBOX_IMAGE: rig.image,
    ...env,
  });
}

/** What is left in the engine, and of runs in the guard's root. */
async function left(): Promise<unknown[]> {
  return [...(await rig.engine.list()), ...(await rig.workspace.list(`${rig.stateDir}/runs`))];
}

describe.each(['overlay', 'copy'] as const)('with trees by %s', (mount) => {
  let launcher: Launcher;
  beforeAll(async () => {
    launcher = await launch({ STEP_MOUNT: mount });
  });
  afterAll(() => launcher.stop());

  test('a developer’s work becomes a bundle, and what a reviewer writes does not', async () => {
    const task = await fixture.seedTeam(
      { developer: { script: DEVELOPER }, reviewer: { readOnly: true, script: REVIEWER } },
      [{ from: 'developer', to: 'reviewer' }],
    );
    await fixture.until(task.taskId, 'collected', 90);
    const look = await fixture.look(task);
    expect(look.steps.map((s) => [s.node, s.state])).toEqual([
      ['developer', 'finished'],
      ['reviewer', 'finished'],
    ]);
    const { files, parent } = fixture.source.applyBundle(await look.bundle(), task.branch);
    expect(parent).toBe(fixture.source.sha);
    expect(files).toEqual({
      'src/main.js': 'export const answer = 42;\n',
      'src/new.js': 'export {};\n',
    });
    const claims = look.steps.map((s) => (s.handOff as { claims: Record<string, string> }).claims);
    expect(claims[0]).toMatchObject({ history: '0: 2', network: 'ECONNREFUSED' });
    expect(claims[0]?.['in']).toContain('Read-only file system');
    expect(claims[1]?.['seen']).toContain('answer = 42');
    expect(claims[1]?.['seen']).toContain('Read-only file system');
    expect(look.events.find((e) => e.kind === 'step_started')?.data).toMatchObject({ mount });
    const compared = look.events.filter((e) => e.kind === 'tree_compared').map((e) => e.data);
    expect(compared).toMatchObject([
      { result: 'kept' },
      { result: 'discarded', writeAttempt: true, paths: [{ path: 'src/main.js' }] },
    ]);
    await fixture.eventually('nothing is left', async () => (await left()).length === 0);
  });
});

describe('what happens to a launcher', () => {
  let launcher: Launcher;
  beforeAll(async () => {
    launcher = await launch();
  });
  afterAll(() => launcher.stop());

  test('a hand-off that cannot be used gets the agent started once more, under another name', async () => {
    const task = await fixture.seed([
      { do: 'append', path: 'log.txt', content: 'once\n' },
      { do: 'run', command: 'test $(wc -l < log.txt) = 2 || echo broken > /out/hand-off.json' },
      {
        do: 'run',
        command: `test $(wc -l < log.txt) = 1 || echo '{"v":1,"outcome":"done","summary":"","findings":[],"claims":{}}' > /out/hand-off.json`,
      },
    ]);
    await fixture.until(task.taskId, 'collected', 60);
    const { steps, bundle } = await fixture.look(task);
    expect(steps).toMatchObject([{ state: 'finished', handOff: { outcome: 'done' } }]);
    const { files } = fixture.source.applyBundle(await bundle(), task.branch);
    expect(files['log.txt']).toBe('once\nonce\n');
  });

  test('a stop ends the container within five seconds, and after the release the run goes on', async () => {
    const operator = fixture.deployment.pool('operator');
    const task = await fixture.seed([
      { do: 'ignoreTerm' },
      { do: 'sleep', ms: 8_000 },
      { do: 'write', path: 'made.txt', content: 'made\n' },
      { do: 'handOff', outcome: 'done' },
    ]);
    await fixture.untilAgentRuns(task);
    const from = performance.now();
    await setHalt(operator, 'all', 'stop', 'a test', 'tester');
    await fixture.eventually('the agent is gone', () => fixture.countAgents(task) === 0);
    expect(performance.now() - from).toBeLessThan(5_000);
    await fixture.eventually(
      'the run is suspended',
      async () => (await fixture.look(task)).run.state === 'suspended',
    );
    await liftHalt(operator, 'all', 'tester');
    await fixture.until(task.taskId, 'collected', 60);
  });

  test('a launcher that is killed leaves its container to the next, which ends it before it goes on', async () => {
    const task = await fixture.seed([
      { do: 'sleep', ms: 12_000 },
      { do: 'write', path: 'made.txt', content: 'made\n' },
      { do: 'handOff', outcome: 'done' },
    ]);
    await fixture.untilAgentRuns(task);
    await launcher.kill();
    await sleep(1_000);
    // Nobody ended it yet: that is what makes the rest of this worth a test.
    expect(fixture.countAgents(task)).toBe(1);
    const most = { agents: 0 };
    const watch = setInterval(() => {
      most.agents = Math.max(most.agents, fixture.countAgents(task));
    }, 50);
    launcher = await launch();
    expect(fixture.countAgents(task)).toBe(0);
    await fixture.until(task.taskId, 'collected', 90);
    clearInterval(watch);
    expect(most.agents).toBe(1);
    const { steps } = await fixture.look(task);
    expect(steps.map((s) => [s.attempt, s.state])).toEqual([
      [1, 'failed'],
      [2, 'finished'],
    ]);
    await fixture.eventually('nothing is left', async () => (await left()).length === 0, 40);
  });
});

test('a launcher without what its driver needs does not start, and names the setting', async () => {
  const names = [
    [{ SANDBOX_IMAGE: 'sandbox:latest' }, 'SANDBOX_IMAGE: give sha256:'],
    [{ SANDBOX_IMAGE: `sha256:${'0'.repeat(64)}` }, 'IMAGES of engine-guard'],
    [{ GUARD_SOCKET: '/nonexistent/guard.sock' }, '/nonexistent/guard.sock does not answer'],
  ] as const;
  for (const [env, words] of names) await expect(launch(env)).rejects.toThrow(words);
  await expect(fixture.launch({ SANDBOX_DRIVER: 'docker' })).rejects.toThrow(
    'GUARD_SOCKET: is not set',
  );
});
