/** What hostile install scripts can leave, in a layer and in a tree of its own, and what is taken of it. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  makeRepository,
  makeStateRoot,
  startRun,
  writeFiles,
  type TestRun,
} from './collector-fixture.ts';
import { readFiles } from './read-files.ts';
import {
  takeEnvironment,
  type EnvironmentLimits,
  type TakenEnvironment,
} from './take-environment.ts';

const state = makeStateRoot();
afterAll(() => state.remove());

let count = 0;

async function takenFrom(
  run: TestRun,
  produces: readonly string[],
  act: (tree: string) => void,
  limits: Partial<EnvironmentLimits> = {},
): Promise<{ taken: TakenEnvironment; layer: string }> {
  count += 1;
  const key = `environment-${count}`;
  const tree = await run.layOut(key);
  act(tree);
  // Ends the view, as the end of a sandbox does.
  await run.compare(key);
  const directory = mkdtempSync(join(state.root, 'environment-'));
  const given = run.start;
  const [taken] = await run.collector.run({
    id: key,
    labels: {},
    mirror: { directory: run.mirror, access: 'read_only' },
    run: run.run,
    environment: { directory, access: 'read_write' },
    operations: [takeEnvironment({ key, given, layered: run.layered, produces, limits })],
  });
  return { taken, layer: join(directory, 'layer') };
}

describe.each([true, false])('in a layer: %s', (layered) => {
  let run: TestRun;
  beforeAll(async () => {
    const repository = makeRepository(state.root, {
      'src/main.js': 'main\n',
      'src/deep/kept.js': 'kept\n',
      'package.json': '{}\n',
      '.gitignore': 'node_modules/\n',
    });
    run = await startRun(mkdtempSync(join(state.root, 'state-')), repository);
    run.layered = layered;
  });

  test('files, links, times and the right to execute are kept', async () => {
    const { taken, layer } = await takenFrom(run, ['node_modules'], (tree) => {
      writeFiles(tree, { 'node_modules/a/index.js': 'a\n', 'node_modules/a/cli.sh': 'echo\n' });
      mkdirSync(join(tree, 'node_modules/.bin'));
      symlinkSync('../a/cli.sh', join(tree, 'node_modules/.bin/cli'));
      chmodSync(join(tree, 'node_modules/a/cli.sh'), 0o755);
      execFileSync('/usr/bin/touch', [
        '-d',
        '2020-01-01T00:00:00Z',
        `${tree}/node_modules/a/index.js`,
      ]);
      writeFiles(tree, { 'left.log': 'not produced\n' });
    });
    expect(taken).toEqual({
      kind: 'taken',
      paths: ['node_modules'],
      missing: [],
      entries: 6,
      bytes: 7,
    });
    expect(readFileSync(join(layer, 'node_modules/a/index.js'), 'utf8')).toBe('a\n');
    expect(lstatSync(join(layer, 'node_modules/a/index.js')).mtime.getUTCFullYear()).toBe(2020);
    expect(lstatSync(join(layer, 'node_modules/a/cli.sh')).mode & 0o777).toBe(0o755);
    expect(readlinkSync(join(layer, 'node_modules/.bin/cli'))).toBe('../a/cli.sh');
    expect(() => lstatSync(join(layer, 'left.log'))).toThrow('ENOENT');
  });

  test('of a directory that the tree has only what is new is taken, whatever was changed', async () => {
    const { taken, layer } = await takenFrom(run, ['src', 'package.json', 'gone'], (tree) => {
      writeFiles(tree, {
        'src/main.js': 'changed\n',
        'src/made.js': 'made\n',
        'src/deep/made.js': 'made\n',
        'src/.claude/settings.json': 'steers',
        'package.json': 'changed\n',
      });
      rmSync(join(tree, 'src/deep/kept.js'));
    });
    expect(taken).toMatchObject({
      paths: expect.toSatisfy((paths: string[]) =>
        ['src/deep/made.js', 'src/made.js'].every((p) => paths.includes(p)),
      ),
      missing: ['package.json', 'gone'],
      entries: 2,
    });
    expect(() => lstatSync(join(layer, 'src/.claude'))).toThrow('ENOENT');
    expect(() => lstatSync(join(layer, 'src/main.js'))).toThrow('ENOENT');
    expect(() => lstatSync(join(layer, 'src/deep/kept.js'))).toThrow('ENOENT');
    expect(() => lstatSync(join(layer, 'package.json'))).toThrow('ENOENT');
  });

  test.each([
    [
      'a link to a place of the host',
      'node_modules',
      (tree: string) => symlinkSync('/etc', `${tree}/node_modules`),
    ],
    ['a link above', 'a/node_modules', (tree: string) => symlinkSync('/etc', `${tree}/a`)],
  ])('%s is refused', async (_, path, act) => {
    const { taken } = await takenFrom(run, [path], act);
    expect(taken).toEqual({
      kind: 'refused',
      reason: 'link_in_path',
      message: expect.stringContaining('is a link'),
    });
  });

  test('the twin without a link is taken', async () => {
    const { taken } = await takenFrom(run, ['a/node_modules'], (tree) =>
      writeFiles(tree, { 'a/node_modules/x': 'x' }),
    );
    expect(taken).toMatchObject({ kind: 'taken', paths: ['a/node_modules'] });
  });

  test('what is no file, no link and no directory is left out, and rights that change rights too', async () => {
    const { taken, layer } = await takenFrom(run, ['node_modules'], (tree) => {
      writeFiles(tree, {
        'node_modules/tool': 'x',
        'node_modules/closed/x': 'x',
        'node_modules/dark': 'x',
      });
      execFileSync('/usr/bin/mkfifo', [`${tree}/node_modules/pipe`]);
      chmodSync(join(tree, 'node_modules/tool'), 0o6755);
      chmodSync(join(tree, 'node_modules/dark'), 0);
      chmodSync(join(tree, 'node_modules/closed'), 0);
      linkSync(join(tree, 'node_modules/tool'), join(tree, 'node_modules/same'));
    });
    expect(taken).toMatchObject({ kind: 'taken', paths: ['node_modules'] });
    expect(() => lstatSync(join(layer, 'node_modules/pipe'))).toThrow('ENOENT');
    const tool = lstatSync(join(layer, 'node_modules/tool'));
    expect([tool.mode & 0o7777, tool.nlink]).toEqual([0o755, 1]);
    expect(readFileSync(join(layer, 'node_modules/closed/x'), 'utf8')).toBe('x');
    expect(readFileSync(join(layer, 'node_modules/dark'), 'utf8')).toBe('x');
  });

  test.each([
    ['too many files', { maxEntries: 5 }, 'too_many_files'],
    ['too many paths', { maxPaths: 2 }, 'too_many_paths'],
    ['too many bytes', { maxBytes: 299 }, 'too_large'],
  ])('%s are refused, and one less is taken', async (_, limits, reason) => {
    const content = 'x'.repeat(100);
    const act = (tree: string): void =>
      writeFiles(tree, {
        'm/a': content,
        'm/b': content,
        'src/c': content,
        'src/deep/d/e': '',
        'src/.claude/settings.json': '{}',
      });
    expect((await takenFrom(run, ['m', 'src'], act, limits)).taken).toMatchObject({
      kind: 'refused',
      reason,
    });
    const wider = Object.fromEntries(Object.entries(limits).map(([name, n]) => [name, n + 1]));
    expect((await takenFrom(run, ['m', 'src'], act, wider)).taken).toMatchObject({ kind: 'taken' });
  });

  test('names in no encoding and in the language of logs do no harm', async () => {
    const { taken, layer } = await takenFrom(run, ['src', 'm'], (tree) => {
      writeFileSync(Buffer.concat([Buffer.from(`${tree}/src/bad`), Buffer.from([0xff])]), 'x');
      writeFiles(tree, { 'src/größe\n.js': 'x' });
      mkdirSync(join(tree, 'm'));
      writeFileSync(Buffer.concat([Buffer.from(`${tree}/m/bad`), Buffer.from([0xff])]), 'x');
    });
    expect(taken).toMatchObject({ kind: 'taken', paths: ['src/größe\n.js', 'm'], entries: 3 });
    expect(
      readFileSync(Buffer.concat([Buffer.from(`${layer}/m/bad`), Buffer.from([0xff])]), 'utf8'),
    ).toBe('x');
  });
});

describe('files of a commit', () => {
  let run: TestRun;
  beforeAll(async () => {
    const repository = makeRepository(
      state.root,
      { 'a/b.yaml': 'text\n', 'a/c/d': 'd' },
      (directory) => {
        symlinkSync('/etc/passwd', join(directory, 'link'));
        symlinkSync('a', join(directory, 'way'));
      },
    );
    run = await startRun(mkdtempSync(join(state.root, 'state-')), repository);
  });

  test('a file is read; a link, a directory, and what lies behind a link is none', async () => {
    const paths = ['a/b.yaml', 'link', 'a', 'way/b.yaml', 'absent'];
    const [{ files }] = await run.perform(
      readFiles({ commit: run.start, paths, content: true, maxBytes: 100 }),
    );
    expect(files).toEqual([
      {
        kind: 'file',
        path: 'a/b.yaml',
        base64: Buffer.from('text\n').toString('base64'),
        sha256: 'b9e68e1bea3e5b19ca6b2f98b73a54b73daafaa250484902e09982e07a12e733',
      },
      { kind: 'no_file', path: 'link' },
      { kind: 'no_file', path: 'a' },
      { kind: 'missing', path: 'way/b.yaml' },
      { kind: 'missing', path: 'absent' },
    ]);
  });

  test('more bytes than are allowed are not read, and just as many are', async () => {
    const read = { commit: run.start, paths: ['a/b.yaml'], content: false };
    await expect(run.perform(readFiles({ ...read, maxBytes: 4 }))).rejects.toMatchObject({
      code: 'too_large',
      detail: { problem: 'too_large' },
    });
    const [{ files }] = await run.perform(readFiles({ ...read, maxBytes: 5 }));
    expect(files).toMatchObject([{ kind: 'file', base64: null }]);
  });

  test('a commit that is not here is told as such', async () => {
    const absent = readFiles({ commit: 'a'.repeat(40), paths: ['x'], content: true, maxBytes: 9 });
    await expect(run.perform(absent)).rejects.toMatchObject({
      detail: { problem: 'source_incomplete' },
    });
  });
});
