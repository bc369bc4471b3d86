/**
 * What the tests of collectors share: a repository made with real git, its source pack, and a run prepared from it. The
 * tests run git themselves, by its full name; the launcher's code never may.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createBubblewrapDriver } from '../sandbox/bubblewrap-driver.ts';
import {
  makeViews,
  mergedDirectory,
  overlayPrelude,
  upperDirectory,
} from '../sandbox/overlay-mounts.ts';
import { createLocalWorkspace } from '../workspace/local-workspace.ts';
import { createCollector, type Collector } from './collector.ts';
import { layOutTree } from './lay-out-tree.ts';
import { mirrorDirectory, runDirectory, stepDirectories, treeLayers } from './layout.ts';
import { materialize } from './materialize.ts';
import { extendMirror } from './mirror.ts';
import type { CollectorOperation, ResultsOf } from './operation.ts';
import { prepareRun } from './prepare-run.ts';
import { takeTree, type TakeLimits, type TakenTree } from './take-tree.ts';

export type Files = Readonly<Record<string, string | Buffer>>;

/** Runs git in a directory, as a test may, and gives what it printed. */
export function git(cwd: string, args: readonly string[], input?: string | Buffer): string {
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@localhost',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@localhost',
  };
  return execFileSync('/usr/bin/git', args, {
    cwd,
    env,
    input,
    stdio: ['pipe', 'pipe', 'pipe'],
    maxBuffer: 2 ** 28,
  })
    .toString('latin1')
    .trim();
}

/** Writes files below a directory, making the directories between. */
export function writeFiles(directory: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
}

export interface TestRepository {
  directory: string;
  /** The commit whose files were given last. */
  head: string;
  commit(files: Files, prepare?: (directory: string) => void): string;
  /** The pack of a commit's history down to `depth` commits, with its boundary. */
  sourcePack(commit: string, depth?: number): { pack: Buffer; shallow: string[] };
}

/** Makes a repository with one commit. Bytes are stored as given: no attribute has a say. */
export function makeRepository(
  parent: string,
  files: Files,
  prepare?: (directory: string) => void,
): TestRepository {
  const directory = mkdtempSync(join(parent, 'repository-'));
  git(directory, ['init', '-q', '-b', 'main']);
  mkdirSync(join(directory, '.git/info'), { recursive: true });
  writeFileSync(
    join(directory, '.git/info/attributes'),
    '* -text !eol -ident -filter !working-tree-encoding\n',
  );
  const repository: TestRepository = {
    directory,
    head: '',
    commit(more, arrange) {
      writeFiles(directory, more);
      arrange?.(directory);
      git(directory, ['add', '-A', '-f']);
      git(directory, ['commit', '-q', '--allow-empty', '-m', 'c']);
      repository.head = git(directory, ['rev-parse', 'HEAD']);
      return repository.head;
    },
    sourcePack(commit, depth = 50) {
      const clone = mkdtempSync(join(parent, 'clone-'));
      git(directory, ['branch', '-f', 'source', commit]);
      const args = [
        'clone',
        '-q',
        '--bare',
        '--depth',
        String(depth),
        '--single-branch',
        '-b',
        'source',
      ];
      git(parent, [...args, `file://${directory}`, clone]);
      const shallow = git(clone, ['rev-parse', '--is-shallow-repository']) === 'true';
      const boundary = shallow ? git(clone, ['log', '--format=%H %P', commit]).split('\n') : [];
      const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent' };
      const pack = execFileSync('/usr/bin/git', ['pack-objects', '-q', '--stdout', '--revs'], {
        cwd: clone,
        env,
        input: `${commit}\n`,
        maxBuffer: 2 ** 30,
      });
      rmSync(clone, { recursive: true });
      return {
        pack,
        shallow: boundary.filter((l) => l.trim().split(' ').length === 1).map((l) => l.trim()),
      };
    },
  };
  repository.commit(files, prepare);
  return repository;
}

/** The bytes as a stream of small pieces. */
export async function* inPieces(bytes: Uint8Array, size = 60_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size)
    yield await Promise.resolve(bytes.subarray(at, at + size));
}

export interface TestRun {
  collector: Collector;
  mirror: string;
  run: string;
  start: string;
  /** Whether steps are laid out as layers over a shared tree, or as copies. */
  layered: boolean;
  perform<const T extends readonly CollectorOperation<unknown>[]>(
    ...operations: T
  ): Promise<ResultsOf<T>>;
  /** Lays out a tree for a step and gives its worktree. */
  layOut(key: string, tree?: string): Promise<string>;
  take(key: string, given?: string, limits?: Partial<TakeLimits>): Promise<TakenTree>;
  /** The same for a step that may not write. */
  compare(key: string, given?: string, limits?: Partial<TakeLimits>): Promise<TakenTree>;
}

/** Feeds a repository's head into a new mirror and prepares a run on it. */
export async function startRun(
  stateRoot: string,
  repository: TestRepository,
  runId = 'run-1',
): Promise<TestRun> {
  const collector = createCollector(createBubblewrapDriver(), createLocalWorkspace());
  const mirror = mirrorDirectory(stateRoot, 1);
  const run = runDirectory(stateRoot, runId);
  const start = repository.head;
  const { pack, shallow } = repository.sourcePack(start);
  const labels = { test: 'yes' };
  await collector.run({
    id: 'feed',
    labels,
    mirror: { directory: mirror, access: 'read_write' },
    operations: [extendMirror({ pack: inPieces(pack), shallow })],
  });
  const testRun: TestRun = {
    collector,
    mirror,
    run,
    start,
    layered: false,
    perform<const T extends readonly CollectorOperation<unknown>[]>(
      ...operations: T
    ): Promise<ResultsOf<T>> {
      const readOnlyMirror = { directory: mirror, access: 'read_only' } as const;
      return collector.run<T>({
        id: 'test',
        labels,
        mirror: readOnlyMirror,
        run,
        operations: [...operations],
      });
    },
    async layOut(key, tree = start) {
      if (!testRun.layered) {
        await testRun.perform(materialize({ key, tree, start }));
        return stepDirectories(run, key).tree;
      }
      const [laid] = await testRun.perform(layOutTree({ tree, start }));
      const layers = treeLayers(run, laid.tree, laid.startTree);
      const mounted = await mountView(layers, stepDirectories(run, key).view);
      views.set(key, { layers, release: mounted.release });
      return mounted.path;
    },
    take: (key, given = start, limits = {}) => takeFrom(key, given, limits, false),
    compare: (key, given = start, limits = {}) => takeFrom(key, given, limits, true),
  };
  const views = new Map<string, { layers: string[]; release: () => void }>();

  async function takeFrom(
    key: string,
    given: string,
    limits: Partial<TakeLimits>,
    trackedOnly: boolean,
  ): Promise<TakenTree> {
    const view = views.get(key);
    view?.release();
    const directories = stepDirectories(run, key);
    const upper = upperDirectory(directories.view);
    if (view !== undefined) chmodSync(upper, 0o700);
    const [taken] = await collector.run({
      id: 'take',
      labels,
      mirror: { directory: mirror, access: 'read_only' },
      run,
      ...(view === undefined
        ? {}
        : { look: { layers: [upper, ...view.layers], view: directories.look } }),
      operations: [
        takeTree({ key, given, start, limits, trackedOnly, layered: view !== undefined }),
      ],
    });
    return taken;
  }
  await testRun.perform(prepareRun({ start }));
  return testRun;
}

/** Mounts a view as a step's sandbox does, and keeps it mounted for a test that plays the agent. */
async function mountView(
  layers: readonly string[],
  view: string,
): Promise<{ path: string; release: () => void }> {
  const mount = {
    kind: 'overlay',
    role: 'tree',
    layers,
    view,
    target: '/work',
    access: 'read_write',
  } as const;
  await makeViews([mount]);
  const [program = '', ...args] = overlayPrelude([mount]);
  const holder = spawn(program, [...args, '/bin/sh', '-c', 'echo mounted; exec sleep 300'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(holder.stdout, 'data');
  holder.stdout.destroy();
  holder.unref();
  return {
    path: `/proc/${holder.pid}/root${mergedDirectory(mount)}`,
    release: () => void holder.kill('SIGKILL'),
  };
}

/** A directory for one test file, and the function that removes it. */
export function makeStateRoot(): { root: string; remove: () => void } {
  const root = mkdtempSync(join(tmpdir(), 'collector-test-'));
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
