/** Whatever the tree, the paths that the import reports are the ones that git lists. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildBaseStore, readBasePaths, type BaseStore } from './base-store.ts';
import { importBundle } from './import-bundle.ts';
import { DEFAULT_IMPORT_LIMITS } from './import-limits.ts';
import { runGit } from './run-git.ts';
import {
  BRANCH_REF,
  bundleOfTree,
  FIXTURE,
  fixtureBasePack,
} from './testing/fixture-repository.ts';
import { blob, file, folder, tree, type GitObject } from './testing/object-writer.ts';

let root: string;
let base: BaseStore;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sallyport-git-'));
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

interface Folder {
  files: Record<string, string>;
  folders: Record<string, Folder>;
}

// A first character that no special name has; the rest is anything that a tree can hold.
const name = fc
  .tuple(
    fc.constantFrom('a', 'b', '-', '\\', '"', 'ä', ' ', '\n'),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  )
  .map(([first, rest]) => `${first}x${rest.replaceAll(/[/\0~]/g, '_')}`);
const { folders } = fc.letrec<{ folders: Folder }>((tie) => ({
  folders: fc.record({
    files: fc.dictionary(name, fc.string({ maxLength: 5 }), {
      minKeys: 1,
      maxKeys: 4,
      noNullPrototype: true,
    }),
    folders: fc.dictionary(
      name.map((n) => `d${n}`),
      fc.oneof({ maxDepth: 3 }, fc.constant({ files: { x: 'x' }, folders: {} }), tie('folders')),
      { maxKeys: 2, noNullPrototype: true },
    ),
  }),
}));

function write(content: Folder, into: Map<string, GitObject>): GitObject {
  const entries = [
    ...Object.entries(content.files).map(([n, text]) => file(n, keep(blob(text), into))),
    ...Object.entries(content.folders).map(([n, inner]) => folder(n, write(inner, into))),
  ];
  return keep(tree(entries), into);
}

function keep(object: GitObject, into: Map<string, GitObject>): GitObject {
  into.set(object.oid, object);
  return object;
}

describe('the paths of a change', () => {
  it('are all those of both trees, each once', async () => {
    const before = await readBasePaths(base.gitDir);
    await fc.assert(
      fc.asyncProperty(folders, async (content) => {
        const objects = new Map<string, GitObject>();
        const newRoot = write(content, objects);
        objects.delete(newRoot.oid);
        const { facts } = await importBundle({
          bundle: bundleOfTree(newRoot, [...objects.values()]),
          expected: { ref: BRANCH_REF, base: FIXTURE.start.oid },
          limits: DEFAULT_IMPORT_LIMITS,
          base,
          workDir: root,
        });
        const added = facts.changes.filter((c) => c.status === 'added').map((c) => c.path);
        const deleted = facts.changes.filter((c) => c.status === 'deleted').map((c) => c.path);
        expect(deleted).toEqual(before);
        expect(added.toSorted()).toEqual(listed(content).toSorted());
      }),
      { numRuns: 15 },
    );
  }, 60_000);

  it('agree with what git lists for the start commit', async () => {
    const args = ['ls-tree', '-r', '-z', '--name-only', FIXTURE.start.oid] as const;
    const listing = await runGit({ gitDir: base.gitDir, args });
    expect(await readBasePaths(base.gitDir)).toEqual(listing.toString().split('\0').slice(0, -1));
  });
});

function listed(content: Folder, prefix = ''): string[] {
  return [
    ...Object.keys(content.files).map((n) => prefix + n),
    ...Object.entries(content.folders).flatMap(([n, inner]) => listed(inner, `${prefix}${n}/`)),
  ];
}
