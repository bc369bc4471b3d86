/** Every family of hostile bundle against the whole pipeline with real git, each beside a twin that passes. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildBaseStore, type BaseStore } from './base-store.ts';
import { importBundle } from './import-bundle.ts';
import type { ImportedBundle } from './import-facts.ts';
import { DEFAULT_IMPORT_LIMITS, type ImportLimits } from './import-limits.ts';
import { BundleRefused, IMPORT_REASONS } from './import-reasons.ts';
import { initBare } from './quarantine.ts';
import { runGit } from './run-git.ts';
import {
  benignBundle,
  BRANCH_REF,
  bundleWith,
  changeAtRoot,
  FIXTURE,
  fixtureBasePack,
} from './testing/fixture-repository.ts';
import { BOMB_FAMILY } from './testing/hostile/bomb-family.ts';
import { HEADER_FAMILY } from './testing/hostile/header-family.ts';
import { HISTORY_FAMILY, longHistory } from './testing/hostile/history-family.ts';
import { NAME_FAMILY } from './testing/hostile/name-family.ts';
import { OBJECT_FAMILY } from './testing/hostile/object-family.ts';
import { PACK_FAMILY } from './testing/hostile/pack-family.ts';
import type { HostileBundle } from './testing/hostile/hostile-bundle.ts';
import { blob, commit, file, folder, tree } from './testing/object-writer.ts';
import { copyingDelta, deltaEntry, pack } from './testing/pack-writer.ts';
import { descendantsOf, watchMemory } from './testing/watch-memory.ts';

// Real processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let root: string;
let workDir: string;
let base: BaseStore;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sallyport-git-'));
  workDir = await mkdtemp(join(root, 'work-'));
  const basePack = fixtureBasePack();
  base = await buildBaseStore({
    gitDir: join(root, 'base'),
    pack: basePack.bytesNow,
    maxPackBytes: basePack.bytes,
    commit: FIXTURE.start.oid,
    shallow: basePack.shallow,
    timeoutMs: 10_000,
  });
});
afterAll(() => rm(root, { recursive: true, force: true }));

function run(bundle: Uint8Array, limits: Partial<ImportLimits> = {}): Promise<ImportedBundle> {
  return importBundle({
    bundle,
    expected: { ref: BRANCH_REF, base: FIXTURE.start.oid },
    limits: { ...DEFAULT_IMPORT_LIMITS, ...limits },
    base,
    workDir,
  });
}

async function reasonFor(bundle: Uint8Array, limits: Partial<ImportLimits> = {}): Promise<string> {
  try {
    await run(bundle, limits);
    return 'imported';
  } catch (error) {
    if (!(error instanceof BundleRefused)) throw error;
    return error.reason;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

const payload = blob('payload\n');

describe('a benign bundle', () => {
  it('is imported with the facts of its change', async () => {
    const twin = benignBundle();
    const { facts, contents } = await run(twin.bytes);
    const main = {
      path: 'src/main.js',
      status: 'modified',
      oldMode: '100644',
      newMode: '100644',
      oldOid: FIXTURE.main.oid,
      newOid: twin.changed.oid,
      oldSize: 22,
      newSize: 22,
    };
    const more = {
      path: 'src/more.txt',
      status: 'added',
      oldMode: '000000',
      newMode: '100644',
      oldOid: null,
      newOid: twin.added.oid,
      oldSize: null,
      newSize: 5,
    };
    expect(facts).toMatchObject({
      base: FIXTURE.start.oid,
      baseTree: FIXTURE.root.oid,
      headOid: twin.head.oid,
      headTree: twin.root.oid,
      objectCount: 5,
      changes: [main, more],
      commits: [
        {
          oid: twin.head.oid,
          tree: twin.root.oid,
          parent: FIXTURE.start.oid,
          changes: [main, more],
        },
      ],
    });
    expect(contents.get(twin.changed.oid)?.toString()).toBe('export const one = 2;\n');
    expect(contents.get(FIXTURE.main.oid)?.toString()).toBe('export const one = 1;\n');
    expect(facts.blobs.map((b) => b.content)).toEqual(['present', 'present', 'present']);
  });

  it('gives a clean pack of exactly the new objects, none of them a commit', async () => {
    const twin = benignBundle();
    const { cleanPack } = await run(twin.bytes);
    const gitDir = await mkdtemp(join(root, 'clean-'));
    await initBare(gitDir);
    await runGit({ gitDir, args: ['index-pack', '--stdin'], stdin: cleanPack });
    const args = [
      'cat-file',
      '--batch-all-objects',
      '--batch-check=%(objectname) %(deltabase)',
    ] as const;
    const lines = (await runGit({ gitDir, args })).toString().trim().split('\n');
    const expected = [twin.changed, twin.added, twin.source, twin.root];
    expect(lines).toEqual(expected.map((o) => `${o.oid} ${'0'.repeat(40)}`).toSorted());
  });

  it('may be a thin pack, with a delta on an object of the start commit', async () => {
    const text = Buffer.from('# Fixture\n# Fixture\n');
    const doubled = blob(text);
    const newRoot = tree([file('README.md', doubled), folder('src', FIXTURE.source)]);
    const head = commit({ tree: newRoot.oid, parents: [FIXTURE.start.oid] });
    const delta = deltaEntry(FIXTURE.readme.oid, copyingDelta(10, 10, 2));
    const { facts, contents } = await run(bundleWith([delta, newRoot, head], head.oid));
    expect(facts.changes.map((c) => c.path)).toEqual(['README.md']);
    expect(contents.get(doubled.oid)).toEqual(text);
  });

  it('may bring back an object of the start commit, and the same tree', async () => {
    const head = commit({ tree: FIXTURE.root.oid, parents: [FIXTURE.start.oid] });
    const { facts, cleanPack } = await run(bundleWith([FIXTURE.readme, head], head.oid));
    expect(facts.changes).toEqual([]);
    expect(cleanPack.length).toBe(32);
  });

  it('may start at a commit whose own parents are not in the source', async () => {
    const bytes = pack(FIXTURE.objects.filter((o) => o !== FIXTURE.boundary));
    const shallow = await buildBaseStore({
      gitDir: join(root, 'depth-one'),
      pack: bytes,
      maxPackBytes: bytes.length,
      commit: FIXTURE.start.oid,
      shallow: [FIXTURE.start.oid],
      timeoutMs: 10_000,
    });
    const imported = await importBundle({
      bundle: benignBundle().bytes,
      expected: { ref: BRANCH_REF, base: FIXTURE.start.oid },
      limits: DEFAULT_IMPORT_LIMITS,
      base: shallow,
      workDir,
    });
    expect(imported).toEqual(await run(benignBundle().bytes));
  });

  it('may be made by git itself', async () => {
    const gitDir = await mkdtemp(join(root, 'agent-'));
    const twin = benignBundle();
    await initBare(gitDir);
    const objects = [
      ...FIXTURE.objects,
      twin.changed,
      twin.added,
      twin.source,
      twin.root,
      twin.head,
    ];
    await writeFile(join(gitDir, 'shallow'), `${FIXTURE.boundary.oid}\n`);
    await runGit({ gitDir, args: ['index-pack', '--stdin'], stdin: pack(objects) });
    await runGit({ gitDir, args: ['update-ref', BRANCH_REF, twin.head.oid] });
    const range = `${FIXTURE.start.oid}..${BRANCH_REF}`;
    const bytes = await runGit({ gitDir, args: ['bundle', 'create', '-', range] });
    expect((await run(bytes)).facts.headTree).toBe(twin.root.oid);
  });

  it('may have as many commits as allowed', async () => {
    const { facts } = await run(longHistory(50));
    expect(facts.commits).toHaveLength(50);
    expect(facts.commits.at(-1)?.oid).toBe(facts.headOid);
  });

  it('leaves nothing behind, nor does one that is refused', async () => {
    await run(benignBundle().bytes);
    await reasonFor(changeAtRoot([folder('.git', FIXTURE.source)], []));
    await reasonFor(longHistory(51));
    expect(await readdir(workDir)).toEqual([]);
  });
});

function refuses(family: readonly HostileBundle[]): void {
  it.each(family)('refuses $name with $reason', async ({ make, reason }) => {
    expect(await reasonFor(make())).toBe(reason);
  });
}

describe('the header', () => refuses(HEADER_FAMILY));
describe('the pack', () => refuses(PACK_FAMILY));
describe('names', () => refuses(NAME_FAMILY));
describe('objects', () => refuses(OBJECT_FAMILY));
describe('the history', () => refuses(HISTORY_FAMILY));

describe('bombs', () => {
  it.each(BOMB_FAMILY)(
    'refuses $name with $reason, under 512 MiB and two seconds',
    async ({ make, reason }) => {
      const bytes = make();
      expect(bytes.length).toBeLessThan(DEFAULT_IMPORT_LIMITS.bundleBytes);
      const memory = watchMemory();
      const begun = performance.now();
      expect(await reasonFor(bytes)).toBe(reason);
      const took = performance.now() - begun;
      const benign = performance.now();
      await run(benignBundle().bytes);
      // Two seconds, unless the machine is so busy that even the benign one takes long.
      const bound = Math.max(2_000, 10 * (performance.now() - benign));
      expect(memory.stop()).toBeLessThan(512 * 1_048_576);
      expect(took).toBeLessThan(bound);
      expect(await readdir(workDir)).toEqual([]);
    },
  );

  it('refuses a bundle of more bytes than allowed', async () => {
    const { bytes } = benignBundle();
    expect(await reasonFor(bytes, { bundleBytes: bytes.length - 1 })).toBe('bundle_too_large');
    expect(await reasonFor(bytes, { bundleBytes: bytes.length })).toBe('imported');
  });

  it('leaves nothing behind when its git is killed from outside', async () => {
    const noise = blob(randomBytes(4_000_000));
    const bytes = changeAtRoot([file('noise', noise)], [noise]);
    const killer = setInterval(() => {
      for (const pid of descendantsOf(process.pid)) {
        if (commandOf(pid).includes('index-pack')) process.kill(pid, 'SIGKILL');
      }
    }, 2);
    const reason = await reasonFor(bytes).finally(() => clearInterval(killer));
    expect(reason).toBe('pack_over_limits');
    expect(await readdir(workDir)).toEqual([]);
    expect(await reasonFor(bytes)).toBe('imported');
  });

  it('ends an import that takes longer than allowed', async () => {
    expect(await reasonFor(benignBundle().bytes, { wallMs: 1 })).toBe('time_limit');
  });
});

describe('what only the policy can judge', () => {
  it('reports the modes of symbolic links and gitlinks', async () => {
    const link = blob('/etc/passwd');
    const entries = [
      file('link', link, '120000'),
      { mode: '160000', name: 'sub', oid: '3'.repeat(40) },
    ];
    const { facts } = await run(changeAtRoot(entries, [link]));
    expect(facts.changes).toMatchObject([
      { path: 'link', newMode: '120000', newSize: 11 },
      { path: 'sub', newMode: '160000', newOid: '3'.repeat(40), newSize: null },
    ]);
  });

  it.each([
    '..\\..\\x',
    'a\nb',
    '\u202egnp.exe',
    '-rf',
    ':(top)x',
    '\x1b[2J',
    'README.MD',
    'x'.repeat(5_000),
  ])('reports the path %j as it is', async (name) => {
    const { facts } = await run(changeAtRoot([file(name, payload)], [payload]));
    expect(facts.changes.map((c) => c.path)).toEqual([name]);
  });

  it('is not told by attributes in the tree what a change is', async () => {
    const attributes = blob('* -diff\n* filter=x\n');
    const { facts, contents } = await run(
      changeAtRoot(
        [file('.gitattributes', attributes), file('hidden.js', payload)],
        [attributes, payload],
      ),
    );
    expect(facts.changes.map((c) => c.path)).toEqual(['.gitattributes', 'hidden.js']);
    expect(contents.get(payload.oid)?.toString()).toBe('payload\n');
  });

  it('shows what an earlier commit added and a later one removed', async () => {
    const secret = blob('secret\n');
    const withSecret = tree([...FIXTURE.rootEntries, file('secret', secret)]);
    const first = commit({ tree: withSecret.oid, parents: [FIXTURE.start.oid] });
    const second = commit({ tree: FIXTURE.root.oid, parents: [first.oid] });
    const { facts, contents, cleanPack } = await run(
      bundleWith([secret, withSecret, first, second], second.oid),
    );
    expect(facts.changes).toEqual([]);
    expect(facts.commits.map((c) => c.changes.map((x) => [x.path, x.status]))).toEqual([
      [['secret', 'added']],
      [['secret', 'deleted']],
    ]);
    expect(contents.get(secret.oid)?.toString()).toBe('secret\n');
    expect(cleanPack.length).toBe(32);
  });

  it('takes forged authors and signatures, of which nothing goes on', async () => {
    const twin = benignBundle();
    const head = commit({
      tree: twin.root.oid,
      parents: [FIXTURE.start.oid],
      author: 'Linus Torvalds <torvalds@example.com> 1700000000 +0000',
      headers: 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n forged\n -----END PGP SIGNATURE-----\n',
    });
    const { facts } = await run(
      bundleWith([twin.changed, twin.added, twin.source, twin.root, head], head.oid),
    );
    expect(JSON.stringify(facts)).not.toMatch(/torvalds|forged/i);
  });

  it('lists a blob beyond the caps without its content', async () => {
    const big = blob(Buffer.alloc(2_000, 0x61));
    const small = blob('small\n');
    const bytes = changeAtRoot([file('big', big), file('small', small)], [big, small]);
    const one = await run(bytes, { contentBlobBytes: 1_000 });
    expect(one.facts.blobs.map((b) => [b.oid, b.content, b.sha256 === null])).toEqual([
      [big.oid, 'over_file_limit', true],
      [small.oid, 'present', false],
    ]);
    expect([...one.contents.keys()]).toEqual([small.oid]);
    const all = await run(bytes, { contentTotalBytes: 2_003 });
    expect(all.facts.blobs.map((b) => b.content)).toEqual(['present', 'over_total_limit']);
    expect((await run(bytes)).facts.blobs.map((b) => b.content)).toEqual(['present', 'present']);
  });
});

describe('the reasons', () => {
  it('are each given by a test, but those of the parent and of malformed commits', () => {
    const families = [
      HEADER_FAMILY,
      PACK_FAMILY,
      NAME_FAMILY,
      OBJECT_FAMILY,
      HISTORY_FAMILY,
      BOMB_FAMILY,
    ];
    const given = new Set(families.flat().map((hostile) => hostile.reason));
    const elsewhere = ['bundle_too_large', 'commit_malformed', 'time_limit', 'child_died'];
    expect(IMPORT_REASONS.filter((reason) => !given.has(reason))).toEqual(elsewhere);
  });
});

describe('a base store of another commit', () => {
  it('is an error of the caller, not a refusal of the bundle', async () => {
    const other = { ...base, commit: FIXTURE.boundary.oid };
    const request = {
      bundle: benignBundle().bytes,
      expected: { ref: BRANCH_REF, base: FIXTURE.start.oid },
      limits: DEFAULT_IMPORT_LIMITS,
      workDir,
    };
    await expect(importBundle({ ...request, base: other })).rejects.toMatchObject({
      code: 'bad_input',
    });
    await expect(importBundle({ ...request, base })).resolves.toBeDefined();
  });

  it('is refused when the source pack lacks the commit', async () => {
    const build = (objects: Parameters<typeof pack>[0], name: string) => {
      const bytes = pack(objects);
      return buildBaseStore({
        gitDir: join(root, name),
        pack: bytes,
        maxPackBytes: bytes.length,
        commit: FIXTURE.start.oid,
        shallow: [],
        timeoutMs: 10_000,
      });
    };
    await expect(build([FIXTURE.readme], 'lacking')).rejects.toMatchObject({ code: 'bad_input' });
    await expect(build(FIXTURE.objects, 'holding')).resolves.toMatchObject({
      tree: FIXTURE.root.oid,
    });
  });
});
