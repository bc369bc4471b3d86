import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptedAction } from '../../support/agent/script.ts';
import { createLauncherFixture, type Look, type LauncherFixture } from './launcher-fixture.ts';

const DONE: ScriptedAction = { do: 'handOff', outcome: 'done' };
const PASS: ScriptedAction = { do: 'handOff', outcome: 'pass' };
const FIX: ScriptedAction = { do: 'edit', path: 'src/main.js', find: '41', replace: '42' };
/** What a suite of tests leaves behind, in names that the tree knows and in names that it ignores. */
const RUN_TESTS: ScriptedAction = {
  do: 'run',
  command:
    'mkdir -p coverage/lcov node_modules/.cache src/__snapshots__ && echo x > coverage/lcov/x && echo c > node_modules/.cache/c && echo s > src/__snapshots__/s && cat coverage/lcov/x',
  as: 'tests',
};

/** The data of the one event of this kind and node. */
function eventOf({ events }: Look, kind: string, node: string): Record<string, unknown> {
  const found = events.filter((e) => e.kind === kind && e.data['node'] === node);
  expect(found).toHaveLength(1);
  return found[0]?.data ?? {};
}
function claimsOf({ steps }: Look, node: string): Record<string, string> {
  const step = steps.find((s) => s.node === node);
  return ((step?.handOff ?? {}) as { claims?: Record<string, string> }).claims ?? {};
}

describe.each(['overlay', 'copy'] as const)('with trees by %s', (mount) => {
  let fixture: LauncherFixture;
  beforeAll(async () => {
    fixture = await createLauncherFixture({
      'README.md': '# Project\n',
      'src/main.js': 'export const answer = 41;\n',
      '.gitignore': 'node_modules/\n',
    });
    await fixture.launch({ STEP_MOUNT: mount });
  });
  afterAll(() => fixture.close());

  test('tests run in a read-only step, what they leave is listed and never seen again', async () => {
    const task = await fixture.seedTeam(
      {
        dev: { script: [FIX, DONE] },
        qa: { readOnly: true, script: [RUN_TESTS, PASS] },
        gate: {
          script: [
            {
              do: 'run',
              command: 'find . -path ./.git -prune -o -type f -print | sort',
              as: 'files',
            },
            { do: 'run', command: 'git status --porcelain --ignored', as: 'status' },
            { do: 'readFile', path: '/in/hand-offs/qa.json', as: 'handed' },
            { do: 'readFile', path: '/in/diff.patch', as: 'patch' },
            { do: 'readPrompt', as: 'prompt' },
            DONE,
          ],
        },
      },
      [
        { from: 'dev', to: 'qa' },
        { from: 'qa', to: 'gate' },
      ],
    );
    await fixture.until(task.taskId, 'collected', 45);
    const look = await fixture.look(task);
    expect(claimsOf(look, 'qa')['tests']).toBe('0: x');
    expect(eventOf(look, 'tree_compared', 'qa')).toMatchObject({
      readOnly: true,
      result: 'discarded',
      writeAttempt: false,
      changeCount: 0,
      paths: [],
      untracked: ['coverage/', 'src/__snapshots__/'],
      ignored: ['node_modules/'],
      gitDirectoryTouched: false,
    });
    const seen = claimsOf(look, 'gate');
    expect(seen['files']).toBe('0: ./.gitignore\n./README.md\n./src/main.js');
    expect(seen['status']).toBe('0: ');
    expect(JSON.parse(seen['handed'] ?? '')).toMatchObject({ outcome: 'pass' });
    expect(seen['patch']).toContain('+export const answer = 42;');
    expect(seen['prompt']).toContain('/in/hand-offs/qa.json');
    expect(fixture.source.applyBundle(await look.bundle(), task.branch).files).toEqual({
      '.gitignore': 'node_modules/\n',
      'README.md': '# Project\n',
      'src/main.js': 'export const answer = 42;\n',
    });
    expect(eventOf(look, 'step_started', 'qa')).toMatchObject({
      cli: 'scripted',
      level: 'reflex',
      restrictedBy: ['node'],
      enforcedBy: 'written_rule',
      mount,
    });
    expect(String(eventOf(look, 'step_started', 'qa')['says'])).toContain('mount');
  }, 60_000);

  test('readers that write by edit, sed, a shell or git are reported with their paths, and nothing of it stays', async () => {
    const attempts: Record<string, ScriptedAction> = {
      edit: { do: 'edit', path: 'src/main.js', find: '42', replace: '43', mayFail: 'tried' },
      sed: { do: 'run', command: 'sed -i s/42/43/ src/main.js', as: 'tried' },
      shell: {
        do: 'run',
        command: `bash -c 'echo broken > src/main.js; rm README.md'`,
        as: 'tried',
      },
      commit: {
        do: 'run',
        command: 'echo 43 > src/main.js; git add -A; git commit -qm fix',
        as: 'tried',
      },
    };
    const readers = Object.fromEntries(
      Object.entries(attempts).map(([id, attempt]) => [
        id,
        { readOnly: true, script: [attempt, PASS] },
      ]),
    );
    const task = await fixture.seedTeam(
      { dev: { script: [FIX, DONE] }, ...readers, gate: { script: [DONE] } },
      Object.keys(readers).flatMap((id) => [
        { from: 'dev', to: id },
        { from: id, to: 'gate' },
      ]),
    );
    await fixture.until(task.taskId, 'collected', 45);
    const look = await fixture.look(task);
    for (const id of Object.keys(readers)) {
      expect(eventOf(look, 'tree_compared', id)).toMatchObject({
        result: 'discarded',
        writeAttempt: true,
        gitDirectoryTouched: false,
        baseTree: eventOf(look, 'tree_compared', 'dev')['tree'],
      });
      expect(eventOf(look, 'step_ended', id)).toMatchObject({
        state: 'finished',
        writeAttempt: true,
      });
    }
    expect(eventOf(look, 'tree_compared', 'sed')).toMatchObject({
      paths: [{ path: 'src/main.js', status: 'M', added: 1, removed: 1 }],
    });
    expect(eventOf(look, 'tree_compared', 'shell')).toMatchObject({
      paths: [
        { path: 'README.md', status: 'D' },
        { path: 'src/main.js', status: 'M' },
      ],
    });
    expect(claimsOf(look, 'commit')['tried']).toContain('Read-only file system');
    const gate = eventOf(look, 'tree_compared', 'gate');
    expect(gate).toMatchObject({ changeCount: 0, result: 'kept' });
    expect(look.run.treeOid).toBe(eventOf(look, 'tree_compared', 'dev')['tree']);
    expect(fixture.source.applyBundle(await look.bundle(), task.branch).files).toMatchObject({
      'src/main.js': 'export const answer = 42;\n',
      'README.md': '# Project\n',
    });
  }, 60_000);

  test('rules, attributes, hooks and repositories that a step adds hide nothing and run nothing', async () => {
    const traps: ScriptedAction = {
      do: 'run',
      command: [
        `printf '*\\n' > .gitignore`,
        `printf '* filter=trap\\n' > .gitattributes`,
        `printf '[filter "trap"]\\n\\tclean = touch /scripts/sprung /out/sprung\\n[core]\\n\\tfsmonitor = touch /out/sprung\\n' >> .git/config || true`,
        `mkdir -p .git/hooks 2>/dev/null && printf '#!/bin/sh\\ntouch /out/sprung\\n' > .git/hooks/post-commit || true`,
        'mkdir -p sub && cd sub && git init -q . && echo hidden > file',
      ].join('; '),
    };
    const change: ScriptedAction = { do: 'write', path: 'src/main.js', content: 'changed\n' };
    const task = await fixture.seedTeam(
      {
        reader: { readOnly: true, script: [traps, change, PASS] },
        writer: { script: [traps, change, DONE] },
      },
      [{ from: 'reader', to: 'writer' }],
    );
    await fixture.until(task.taskId, 'collected', 45);
    const look = await fixture.look(task);
    expect(eventOf(look, 'tree_compared', 'reader')).toMatchObject({
      writeAttempt: true,
      paths: [
        { path: '.gitignore', status: 'M' },
        { path: 'src/main.js', status: 'M' },
      ],
      untracked: ['sub/', '.gitattributes'],
    });
    expect(eventOf(look, 'tree_compared', 'writer')).toMatchObject({
      paths: [
        { path: '.gitattributes', status: 'A' },
        { path: '.gitignore', status: 'M' },
        { path: 'src/main.js', status: 'M' },
        { path: 'sub/file', status: 'A' },
      ],
      skipped: [{ path: 'sub/.git', reason: 'git_directory' }],
    });
  }, 60_000);
});
