/** A project with real dependencies: its tests run in a QA step, offline, the second time without an installation. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptedAction } from '../support/agent/script.ts';
import {
  createLauncherFixture,
  type LauncherFixture,
  type Look,
} from '../integration/launcher/launcher-fixture.ts';
import { makeNpmProject, type NpmProject } from '../integration/launcher/npm-project.ts';

const DONE: ScriptedAction = { do: 'handOff', outcome: 'done' };
const PASS: ScriptedAction = { do: 'handOff', outcome: 'pass' };
const TESTS: ScriptedAction = { do: 'run', command: 'npm test', as: 'tests' };
const EDGES = [{ from: 'dev', to: 'qa' }] as const;

function ready({ events }: Look): Record<string, unknown> {
  const found = events.filter((e) => e.kind === 'environment_ready');
  expect(found).toHaveLength(1);
  return found[0]?.data ?? {};
}
function compared({ events }: Look, node: string): Record<string, unknown> {
  return events.find((e) => e.kind === 'tree_compared' && e.data['node'] === node)?.data ?? {};
}
function claimsOf({ steps }: Look, node: string): Record<string, string> {
  const handOff = steps.findLast((s) => s.node === node)?.handOff as
    | { claims?: Record<string, string> }
    | null
    | undefined;
  return handOff?.claims ?? {};
}

describe.each(['overlay', 'copy'] as const)('with trees by %s', (mount) => {
  let project: NpmProject;
  let fixture: LauncherFixture;
  beforeAll(async () => {
    project = makeNpmProject();
    fixture = await createLauncherFixture(project.files);
    const file = join(fixture.directory, 'environments.json');
    writeFileSync(file, JSON.stringify({ registries: { npm: { directory: project.registry } } }));
    await fixture.launch({ STEP_MOUNT: mount, ENVIRONMENTS_FILE: file });
  });
  afterAll(async () => {
    await fixture.close();
    rmSync(project.registry, { recursive: true });
  });

  test('the tests of a project run in a QA step, twice, and only once is anything installed', async () => {
    const looks = [];
    for (const name of ['first', 'second']) {
      const task = await fixture.seedTeam(
        {
          dev: { script: [{ do: 'write', path: `${name}.txt`, content: name }, DONE] },
          qa: { readOnly: true, script: [TESTS, PASS] },
        },
        [...EDGES],
      );
      await fixture.until(task.taskId, 'collected', 60);
      looks.push(await fixture.look(task));
    }
    const [first, second] = looks.map(ready);
    expect(first).toMatchObject({ cached: false, from: 'repository' });
    expect(first?.['produces']).toEqual(['node_modules', 'build/lib']);
    expect(first?.['says']).toBe("the repository's environment was made: node_modules, build/lib");
    expect(second).toMatchObject({ cached: true, key: first?.['key'], transcriptArtifactId: null });
    expect(second?.['says']).toContain('no command was run');
    for (const look of looks) {
      expect(claimsOf(look, 'qa')['tests']).toMatch(/^0: [^]*pass 1/);
      expect(compared(look, 'qa')).toMatchObject({ writeAttempt: false, changeCount: 0 });
      expect(compared(look, 'dev')).toMatchObject({ changeCount: 1, ignoredCount: 0 });
    }
  });

  test('what a step does to it reaches neither the tree, the next step, nor the next run', async () => {
    const poison = [
      'echo "module.exports = () => \'poison\'" > node_modules/greet/index.js',
      'mkdir node_modules/evil && echo x > node_modules/evil/index.js',
      'rm node_modules/greet/package.json',
      'echo poison > build/lib/made && echo poison > build/lib/new && echo own > build/own',
      'git add -f node_modules && git commit -q -m poison',
    ].join(' && ');
    const task = await fixture.seedTeam(
      {
        dev: {
          script: [
            { do: 'run', command: poison },
            { do: 'write', path: 'kept.txt', content: 'kept' },
            { ...TESTS, as: 'own' },
            DONE,
          ],
        },
        qa: {
          readOnly: true,
          script: [
            TESTS,
            { do: 'run', command: 'ls node_modules build build/lib && cat build/*/*', as: 'seen' },
            PASS,
          ],
        },
      },
      [...EDGES],
    );
    await fixture.until(task.taskId, 'collected', 60);
    const look = await fixture.look(task);
    expect(claimsOf(look, 'dev')['own']).toMatch(/^1: /);
    expect(claimsOf(look, 'qa')).toMatchObject({
      tests: expect.stringMatching(/^0: /),
      seen: '0: build:\nlib\nown\n\nbuild/lib:\nmade\n\nnode_modules:\ngreet\nmade',
    });
    const { changeCount, paths, untracked } = compared(look, 'dev');
    expect({ changeCount, paths }).toMatchObject({
      changeCount: 2,
      paths: [{ path: 'build/own' }, { path: 'kept.txt' }],
    });
    expect((untracked as string[]).toSorted()).toEqual(['build/lib/', 'node_modules/']);
    const { files } = fixture.source.applyBundle(await look.bundle(), task.branch);
    const own = Object.keys(files).filter((path) => /^(?:node_modules|build)/.test(path));
    expect(own).toEqual(['build/own']);
    const next = await fixture.seedTeam({ qa: { readOnly: true, script: [TESTS, PASS] } }, []);
    await fixture.until(next.taskId, 'collected', 60);
    const nextLook = await fixture.look(next);
    expect(ready(nextLook)).toMatchObject({ cached: true });
    expect(claimsOf(nextLook, 'qa')['tests']).toMatch(/^0: /);
  });

  test.each([
    ['a link', 'ln -s /etc node_modules', 'node_modules'],
    ['a file', 'echo x > node_modules', 'node_modules'],
    ['nothing', 'true', undefined],
  ])('%s in its place is no work either', async (_, command, named) => {
    const task = await fixture.seedTeam(
      {
        dev: { script: [{ do: 'run', command: `rm -rf node_modules && ${command}` }, DONE] },
        qa: { readOnly: true, script: [TESTS, PASS] },
      },
      [...EDGES],
    );
    await fixture.until(task.taskId, 'collected', 60);
    const look = await fixture.look(task);
    expect(compared(look, 'dev')).toMatchObject({
      changeCount: 0,
      untracked: named === undefined ? [] : [named],
    });
    expect(claimsOf(look, 'qa')['tests']).toMatch(/^0: /);
  });
});
