import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseBundle } from '@sallyport/git/bundle-header';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBubblewrapDriver } from '../sandbox/bubblewrap-driver.ts';
import { shellSpec } from '../sandbox/sandbox-fixture.ts';
import {
  git,
  inPieces,
  makeRepository,
  makeStateRoot,
  startRun,
  writeFiles,
  type TestRepository,
  type TestRun,
} from './collector-fixture.ts';
import { createLocalWorkspace } from '../workspace/local-workspace.ts';
import { createCollector } from './collector.ts';
import {
  historyDirectory,
  HISTORY_TARGET,
  mirrorDirectory,
  runDirectory,
  stepDirectories,
} from './layout.ts';
import { makeBundle } from './make-bundle.ts';
import { materialize } from './materialize.ts';
import { extendMirror } from './mirror.ts';
import { prepareRun } from './prepare-run.ts';
import { loadStepPack, writePatch, writeStepPack } from './step-pack.ts';
import { takeTree } from './take-tree.ts';

const state = makeStateRoot();
const driver = createBubblewrapDriver();
const collector = createCollector(driver, createLocalWorkspace());
let repository: TestRepository;
let run: TestRun;
let fakeGit: string;
const realPath = process.env['PATH'];

beforeAll(async () => {
  // First on the launcher's PATH for this whole file: whoever runs git by name here leaves a trace.
  fakeGit = mkdtempSync(join(state.root, 'fake-'));
  writeFileSync(join(fakeGit, 'git'), `#!/bin/sh\necho called >> ${fakeGit}/called\nexit 1\n`);
  chmodSync(join(fakeGit, 'git'), 0o755);
  process.env['PATH'] = `${fakeGit}:${realPath}`;

  repository = makeRepository(state.root, { 'a.txt': 'a1\n', 'b.txt': 'b\n', 'd/e/f.txt': 'f\n' });
  for (let i = 2; i <= 5; i += 1) repository.commit({ 'a.txt': `a${i}\n` });
  run = await startRun(state.root, repository);
});
afterAll(() => {
  process.env['PATH'] = realPath;
  state.remove();
});

function collect(): { onData: (piece: Buffer) => void; bytes: () => Buffer } {
  const pieces: Buffer[] = [];
  return {
    onData: (piece) => void pieces.push(Buffer.from(piece)),
    bytes: () => Buffer.concat(pieces),
  };
}

async function changedStep(key: string): Promise<{ tree: string; commit: string }> {
  writeFiles(await run.layOut(key), { 'a.txt': `by ${key}\n`, [`new-${key}`]: 'n\n' });
  const taken = await run.take(key);
  if (taken.kind !== 'taken') throw new Error(taken.message);
  return taken;
}

describe('the work of a run', () => {
  test('leaves as a bundle that real git takes into the repository, with the tree that was taken', async () => {
    const step = await changedStep('bundle-1');
    const out = collect();
    const [{ bytes }] = await run.perform(
      makeBundle({
        commit: step.commit,
        start: run.start,
        branch: 'agent/task-1',
        onData: out.onData,
      }),
    );
    expect(out.bytes().byteLength).toBe(bytes);
    const parsed = parseBundle(
      out.bytes(),
      { base: run.start, ref: 'refs/heads/agent/task-1' },
      100,
    );
    expect(parsed.head).toBe(step.commit);
    const file = join(state.root, 'work.bundle');
    writeFileSync(file, out.bytes());
    expect(git(repository.directory, ['bundle', 'list-heads', file])).toBe(
      `${step.commit} refs/heads/agent/task-1`,
    );
    git(repository.directory, ['fetch', '-q', file, 'refs/heads/agent/task-1:refs/heads/taken']);
    expect(git(repository.directory, ['rev-parse', 'taken^{tree}', 'taken^'])).toBe(
      `${step.tree}\n${run.start}`,
    );
    git(repository.directory, ['fsck', '--strict']);
    expect(git(repository.directory, ['show', 'taken:a.txt'])).toBe('by bundle-1');
  });

  test('can leave as a pack from the collector that takes the tree, and there is none when nothing changed', async () => {
    writeFiles(await run.layOut('with-pack'), { 'a.txt': 'packed\n' });
    await run.layOut('without-pack');
    const some = collect();
    const none = collect();
    const take = { given: run.start, start: run.start };
    const [changed, same] = await run.perform(
      takeTree({ ...take, key: 'with-pack', onPack: some.onData }),
      takeTree({ ...take, key: 'without-pack', onPack: none.onData }),
    );
    expect(changed).toMatchObject({ kind: 'taken', packBytes: some.bytes().byteLength });
    expect(some.bytes().subarray(0, 4).toString()).toBe('PACK');
    expect(same).toMatchObject({ kind: 'taken', packBytes: null });
    expect(none.bytes().byteLength).toBe(0);
  });

  test('beyond the cap is refused, and within it passes', async () => {
    const step = await changedStep('bundle-2');
    const bundle = {
      commit: step.commit,
      start: run.start,
      branch: 'agent/x',
      onData: () => undefined,
    };
    const refused = run.perform(makeBundle({ ...bundle, maxBytes: 400 }));
    await expect(refused).rejects.toMatchObject({ code: 'too_large' });
    expect(await run.perform(makeBundle({ ...bundle, maxBytes: 4000 }))).toMatchObject([{}]);
  });

  test('survives its host as a pack: another host goes on from its tree', async () => {
    const step = await changedStep('pack-1');
    const out = collect();
    await run.perform(writeStepPack({ commit: step.commit, start: run.start, onData: out.onData }));
    const elsewhere = runDirectory(state.root, 'run-elsewhere');
    await collector.run({
      id: 'elsewhere',
      labels: {},
      mirror: { directory: run.mirror, access: 'read_only' },
      run: elsewhere,
      operations: [
        prepareRun({ start: run.start }),
        loadStepPack({ commit: step.commit, start: run.start, pack: inPieces(out.bytes(), 100) }),
        materialize({ key: 'next', tree: step.tree, start: run.start }),
      ],
    });
    const tree = stepDirectories(elsewhere, 'next').tree;
    expect(readFileSync(join(tree, 'a.txt'), 'utf8')).toBe('by pack-1\n');
  });

  test('as a broken pack, or one for another commit, is refused', async () => {
    const step = await changedStep('pack-2');
    const out = collect();
    await run.perform(writeStepPack({ commit: step.commit, start: run.start, onData: out.onData }));
    const broken = Buffer.from(out.bytes());
    broken.writeUInt8((broken.readUInt8(60) ^ 0xff) & 0xff, 60);
    const load = (commit: string, pack: Buffer): Promise<unknown> =>
      run.perform(loadStepPack({ commit, start: run.start, pack: inPieces(pack) }));
    await expect(load(step.commit, broken)).rejects.toMatchObject({
      code: 'bad_input',
      detail: { problem: 'bad_pack' },
    });
    await expect(load('1'.repeat(40), out.bytes())).rejects.toMatchObject({ code: 'bad_input' });
    await load(step.commit, out.bytes());
  });

  test('is shown to a later step as a patch', async () => {
    const step = await changedStep('patch-1');
    const out = collect();
    await run.perform(writePatch({ from: run.start, to: step.tree, onData: out.onData }));
    expect(out.bytes().toString()).toContain('-a5\n+by patch-1\n');
  });

  test('several operations share one sandbox, and the next step can be laid out in the one that takes the last', async () => {
    writeFiles(await run.layOut('chain-1'), { 'a.txt': 'chained\n' });
    const [taken, laidOut] = await run.perform(
      takeTree({ key: 'chain-1', given: run.start, start: run.start }),
      materialize({ key: 'chain-2', tree: run.start, start: run.start }),
    );
    expect(taken).toMatchObject({ kind: 'taken', changeCount: 1 });
    expect(laidOut.tree).toBe(git(repository.directory, ['rev-parse', `${run.start}^{tree}`]));
    expect(existsSync(stepDirectories(run.run, 'chain-2').tree)).toBe(true);
  });

  test('a tree that would write into a git directory is not laid out', async () => {
    const blob = git(repository.directory, ['rev-parse', `${run.start}:b.txt`]);
    const layOut = async (name: string, key: string): Promise<unknown> => {
      const entry = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]);
      const hash = ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'];
      const tree = git(repository.directory, hash, entry);
      const commit = git(repository.directory, ['commit-tree', tree, '-p', run.start, '-m', 'x']);
      const objects = packOf([commit, tree, blob]);
      return run.perform(
        loadStepPack({ commit, start: run.start, pack: inPieces(objects) }),
        materialize({ key, tree, start: run.start }),
      );
    };
    await expect(layOut('.git', 'evil')).rejects.toMatchObject({
      detail: { problem: 'unusable_tree' },
    });
    await layOut('.gith', 'good');
  });

  test('a second attempt needs a key of its own', async () => {
    await run.layOut('attempt-1');
    await expect(run.layOut('attempt-1')).rejects.toMatchObject({ code: 'conflict' });
    await run.layOut('attempt-2');
  });
});

describe('the mirror', () => {
  test('holds a cut-off history, grows by packs, and serves each start commit with its boundary', async () => {
    const mirror = { directory: mirrorDirectory(state.root, 2), access: 'read_write' } as const;
    const feed = async (commit: string, depth: number): Promise<void> => {
      const { pack, shallow } = repository.sourcePack(commit, depth);
      expect(shallow).toHaveLength(1);
      await collector.run({
        id: 'm',
        labels: {},
        mirror,
        operations: [extendMirror({ pack: inPieces(pack), shallow })],
      });
    };
    const older = git(repository.directory, ['rev-parse', `${run.start}~2`]);
    await feed(older, 1);
    await Promise.all([feed(run.start, 2), feed(run.start, 2)]);
    for (const [start, name] of [
      [older, 'run-older'],
      [run.start, 'run-newer'],
    ] as const) {
      const directory = runDirectory(state.root, name);
      const operations = [
        prepareRun({ start }),
        materialize({ key: 'one', tree: start, start }),
      ] as const;
      await collector.run({
        id: 'm',
        labels: {},
        mirror: { ...mirror, access: 'read_only' },
        run: directory,
        operations,
      });
      const log = await inStep(
        directory,
        'one',
        'git log --format=%H; git status --short; git fsck 2>&1',
      );
      // The history of one source meets the other's: together they reach further back than each alone.
      const expected = git(repository.directory, ['log', '--format=%H', start])
        .split('\n')
        .slice(0, start === older ? 1 : 3);
      expect(log.trim().split('\n')).toEqual(expected);
    }
  });

  test('without the start commit, or with an object of it missing, no run begins', async () => {
    const mirror = { directory: mirrorDirectory(state.root, 3), access: 'read_write' } as const;
    const request = { id: 'm', labels: {}, mirror } as const;
    const prepare = (name: string): Promise<unknown> =>
      collector.run({
        ...request,
        run: runDirectory(state.root, name),
        operations: [prepareRun({ start: run.start })],
      });
    await expect(prepare('run-none')).rejects.toMatchObject({
      code: 'bad_input',
      detail: { problem: 'source_incomplete' },
    });
    const blob = git(repository.directory, ['rev-parse', `${run.start}:b.txt`]);
    const objects = git(repository.directory, ['rev-list', '--objects', run.start])
      .split('\n')
      .map((l) => l.slice(0, 40));
    const partial = packOf(objects.filter((oid) => oid !== blob));
    await collector.run({
      ...request,
      operations: [extendMirror({ pack: inPieces(partial), shallow: [] })],
    });
    await expect(prepare('run-partial')).rejects.toMatchObject({
      detail: { problem: 'source_incomplete' },
    });
    await collector.run({
      ...request,
      operations: [extendMirror({ pack: inPieces(packOf([blob])), shallow: [] })],
    });
    await prepare('run-partial');
  });

  test('refuses what is no pack and what is larger than allowed, and stays as it was', async () => {
    const directory = mirrorDirectory(state.root, 4);
    const feed = (pack: Buffer, maxBytes: number): Promise<unknown> =>
      collector.run({
        id: 'm',
        labels: {},
        mirror: { directory, access: 'read_write' },
        operations: [extendMirror({ pack: inPieces(pack), shallow: [], maxBytes })],
      });
    const { pack } = repository.sourcePack(run.start);
    await expect(feed(Buffer.from('not a pack'), 1000)).rejects.toMatchObject({
      detail: { problem: 'bad_pack' },
    });
    await expect(feed(pack.subarray(0, -30), pack.byteLength)).rejects.toMatchObject({
      detail: { problem: 'bad_pack' },
    });
    await expect(feed(pack, pack.byteLength - 1)).rejects.toMatchObject({
      detail: { problem: 'bad_pack' },
    });
    expect(readdirSync(join(directory, 'objects/pack')).filter((n) => n.endsWith('.pack'))).toEqual(
      [],
    );
    await feed(pack, pack.byteLength);
    expect(
      readdirSync(join(directory, 'objects/pack')).filter((n) => n.endsWith('.pack')),
    ).toHaveLength(1);
  });
});

describe("a step's git directory", () => {
  test('shows the history and what earlier steps did, takes commits, and holds nothing of the mirror', async () => {
    const first = await changedStep('earlier');
    await run.perform(materialize({ key: 'later', tree: first.tree, start: run.start }));
    const script =
      'git status --short; git log --format=%s | wc -l; git show --stat --format= HEAD | head -1; echo x > a.txt; git commit -qam mine; git log -1 --format=%s';
    const printed = await inStep(run.run, 'later', script);
    expect(printed.split('\n')).toEqual(['6', expect.stringContaining('a.txt'), 'mine', '']);
    const taken = await run.take('later', first.tree);
    expect(taken).toMatchObject({ kind: 'taken', changes: [{ path: 'a.txt', status: 'M' }] });
    const mounted = await inStep(
      run.run,
      'later',
      'cat /proc/self/mountinfo; echo y > /history/HEAD',
    );
    expect(mounted).not.toContain('/mirrors/');
    expect(readFileSync(join(historyDirectory(run.run), 'HEAD'), 'utf8')).toContain(
      'refs/heads/none',
    );
  });
});

describe('the launcher', () => {
  test('stops a collector when it is told to', async () => {
    const stop = new AbortController();
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from('PACK'));
      stop.abort();
      await new Promise(() => undefined);
    }
    const stopped = collector.run({
      id: 'stop',
      labels: {},
      mirror: { directory: mirrorDirectory(state.root, 5), access: 'read_write' },
      operations: [extendMirror({ pack: endless(), shallow: [] })],
      signal: stop.signal,
    });
    await expect(stopped).rejects.toMatchObject({ code: 'halted' });
  });

  test('never runs git itself: a git that stands first on its PATH is not called', () => {
    expect(existsSync(join(fakeGit, 'called'))).toBe(false);
    // The twin: by name, it would be.
    expect(() => execFileSync('git', ['version'])).toThrow('Command failed');
    expect(existsSync(join(fakeGit, 'called'))).toBe(true);
  });
});

function packOf(oids: readonly string[]): Buffer {
  const input = `${oids.join('\n')}\n`;
  return execFileSync('/usr/bin/git', ['pack-objects', '-q', '--stdout'], {
    cwd: repository.directory,
    input,
    env: { PATH: '/usr/bin' },
  });
}

async function inStep(directory: string, key: string, script: string): Promise<string> {
  const step = stepDirectories(directory, key);
  mkdirSync(step.out, { recursive: true });
  const exit = await driver.run(
    shellSpec(script, {
      cwd: '/work',
      env: { PATH: '/usr/bin:/bin', HOME: '/home/agent' },
      mounts: [
        { kind: 'bind', role: 'tree', source: step.tree, target: '/work', access: 'read_write' },
        {
          kind: 'bind',
          role: 'history',
          source: historyDirectory(directory),
          target: HISTORY_TARGET,
          access: 'read_only',
        },
      ],
    }),
  );
  return exit.stdout.text;
}
