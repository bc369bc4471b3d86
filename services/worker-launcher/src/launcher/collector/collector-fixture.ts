/**
 * What the tests of collectors share: a repository made with real git, its source pack, and a run prepared from it. The
 * tests run git themselves, by its full name; the launcher's code never may.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createBubblewrapDriver } from '../sandbox/bubblewrap-driver.ts';
import { createCollector, type Collector } from './collector.ts';
import { mirrorDirectory, runDirectory, stepDirectories } from './layout.ts';
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
  perform<const T extends readonly CollectorOperation<unknown>[]>(
    ...operations: T
  ): Promise<ResultsOf<T>>;
  /** Lays out a tree for a step and gives its worktree. */
  layOut(key: string, tree?: string): Promise<string>;
  take(key: string, given?: string, limits?: Partial<TakeLimits>): Promise<TakenTree>;
}

/** Feeds a repository's head into a new mirror and prepares a run on it. */
export async function startRun(
  stateRoot: string,
  repository: TestRepository,
  runId = 'run-1',
): Promise<TestRun> {
  const collector = createCollector(createBubblewrapDriver());
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
      await testRun.perform(materialize({ key, tree, start }));
      return stepDirectories(run, key).tree;
    },
    async take(key, given = start, limits = {}) {
      const [taken] = await testRun.perform(takeTree({ key, given, start, limits }));
      return taken;
    },
  };
  await testRun.perform(prepareRun({ start }));
  return testRun;
}

/** A directory for one test file, and the function that removes it. */
export function makeStateRoot(): { root: string; remove: () => void } {
  const root = mkdtempSync(join(tmpdir(), 'collector-test-'));
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
