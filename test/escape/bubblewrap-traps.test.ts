import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  makeRepository,
  startRun,
  type TestRun,
} from '../../services/worker-launcher/src/launcher/collector/collector-fixture.ts';
import { createBubblewrapDriver } from '../../services/worker-launcher/src/launcher/sandbox/bubblewrap-driver.ts';
import { shellSpec } from '../../services/worker-launcher/src/launcher/sandbox/sandbox-fixture.ts';
import { createLocalWorkspace } from '../../services/worker-launcher/src/launcher/workspace/local-workspace.ts';
import { removeTree } from '../../services/worker-launcher/src/launcher/workspace/remove-tree.ts';
import { testBombs } from './bomb-suite.ts';
import { testHandOffs } from './hand-off-suite.ts';
import { GIT_TRAP, TREE_TRAP } from './traps.ts';

const driver = createBubblewrapDriver();
const workspace = createLocalWorkspace();
let root: string;
let secretFile: string;
let run: TestRun;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'escape-traps-'));
  mkdirSync(join(root, 'private'));
  secretFile = join(root, 'private/secret');
  writeFileSync(secretFile, 'THROUGH\n');
  const repository = makeRepository(root, { 'a.txt': 'a\n', 'dir/one': '1\n', 'dir/two': '2\n' });
  run = await startRun(root, repository);
});
afterAll(() => removeTree(root));

const place = (): Promise<string> => Promise.resolve(mkdtempSync(join(root, 'place-')));

testBombs(() => ({ driver, place }));
testHandOffs(() => ({
  driver,
  workspace,
  secretFile,
  async place() {
    const source = await place();
    return { source, onHost: source };
  },
}));

describe('a hostile step that leaves in its tree', () => {
  let steps = 0;
  async function leave(script: string): Promise<{ key: string; tree: string; mark: string }> {
    steps += 1;
    const key = `hostile-${steps}`;
    const tree = await run.layOut(key);
    const mark = join(run.run, `mark-${key}`);
    const given = await place();
    writeFileSync(join(given, 'given'), 'given\n');
    const env = {
      PATH: '/usr/bin:/bin',
      SECRET: secretFile,
      MARK: mark,
      // As a collector sees the same directory.
      MARK_INSIDE: `/c/run/mark-${key}`,
    };
    const exit = await driver.run(
      shellSpec(script, {
        env,
        cwd: '/work',
        mounts: [
          { kind: 'bind', role: 'tree', source: tree, target: '/work', access: 'read_write' },
          { kind: 'bind', role: 'in', source: given, target: '/in', access: 'read_only' },
        ],
      }),
    );
    expect([exit.end, exit.stderr.text]).toEqual([{ kind: 'exited', code: 0 }, '']);
    return { key, tree, mark };
  }

  test('git directories that are traps, has nothing of them run by the collector; git itself springs them', async () => {
    const { key, tree, mark } = await leave(GIT_TRAP);
    const taken = await run.take(key);
    expect(existsSync(mark)).toBe(false);
    expect(taken).toMatchObject({ kind: 'taken' });
    if (taken.kind !== 'taken') return;
    expect(taken.changes.map((change) => change.path)).toContain('a.txt');
    expect(taken.skipped).toContainEqual({ reason: 'git_directory', path: 'sub/.git' });
    for (const directory of [tree, join(tree, 'nested.git'), join(tree, 'sub')]) {
      rmSync(mark, { force: true });
      spawnSync('/usr/bin/git', ['status'], {
        cwd: directory,
        env: {
          PATH: '/usr/bin:/bin',
          HOME: root,
          GIT_CONFIG_COUNT: '1',
          GIT_CONFIG_KEY_0: 'safe.directory',
          GIT_CONFIG_VALUE_0: '*',
        },
      });
      expect([directory, existsSync(mark)]).toEqual([directory, true]);
    }
  });

  test('links, pipes, sockets and devices, has none of them followed or opened', async () => {
    const { key, tree } = await leave(TREE_TRAP);
    const taken = await run.take(key);
    expect(taken).toMatchObject({ kind: 'taken' });
    if (taken.kind !== 'taken') return;
    const changes = Object.fromEntries(taken.changes.map((change) => [change.path, change]));
    const links = ['link-to-secret', 'link-to-directory', 'dir'].map((path) => changes[path]);
    expect(links).toMatchObject(links.map(() => ({ newMode: '120000' })));
    expect(Object.keys(changes).filter((path) => path.startsWith('dir/'))).toEqual([
      'dir/one',
      'dir/two',
    ]);
    expect(taken.skipped.map(({ reason, path }) => `${reason} ${path}`)).toEqual(
      expect.arrayContaining(['fifo pipe', 'socket socket']),
    );
    expect(readFileSync(join(tree, 'device-refused'), 'utf8')).toContain('not permitted');
    expect(readFileSync(join(tree, 'hard-link-refused'), 'utf8')).toMatch(/cross-device|Read-only/);
    // The twin: whoever follows the links is led out.
    expect(readFileSync(join(tree, 'link-to-secret'), 'utf8')).toBe('THROUGH\n');
    expect(readFileSync(join(tree, 'dir/secret'), 'utf8')).toBe('THROUGH\n');
  });
});

describe('a descriptor that the launcher was started with', () => {
  test('is in no sandbox, and is in a plain child', async () => {
    const modules = new URL(
      '../../services/worker-launcher/src/launcher/sandbox/',
      import.meta.url,
    );
    const program = `
      const { createBubblewrapDriver } = await import(${JSON.stringify(new URL('bubblewrap-driver.ts', modules).href)});
      const { shellSpec } = await import(${JSON.stringify(new URL('sandbox-fixture.ts', modules).href)});
      const { execFileSync } = await import('node:child_process');
      const look = 'cat /proc/self/fd/40 /proc/1/fd/40 2>/dev/null; echo looked';
      const inside = await createBubblewrapDriver().run(shellSpec(look));
      const outside = execFileSync('/bin/sh', ['-c', look]);
      process.stdout.write(JSON.stringify({ inside: inside.stdout.text, outside: outside.toString() }));
      process.exit(0);`;
    // A number beyond those that Node closes of its own accord.
    const start = ['exec 40<"$1"; shift; exec "$@"', 'bash', secretFile, process.execPath];
    const child = spawn(
      '/bin/bash',
      ['--norc', '-c', ...start, '--import', 'tsx', '--input-type=module', '-e', program],
      { cwd: fileURLToPath(modules), stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let said = '';
    child.stdout.on('data', (piece: Buffer) => (said += piece.toString()));
    await new Promise((resolve) => child.once('close', resolve));
    expect(JSON.parse(said)).toEqual({ inside: 'looked\n', outside: 'THROUGH\nlooked\n' });
  });
});
