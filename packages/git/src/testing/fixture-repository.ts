/**
 * A small repository made of our own objects, and bundles on top of it: the benign one, from which every hostile one
 * differs in one thing. For tests.
 */
import { createHash } from 'node:crypto';
import type { BasePack } from '../run-import-child.ts';
import {
  blob,
  commit,
  file,
  folder,
  tree,
  type GitObject,
  type TreeEntry,
} from './object-writer.ts';
import { bundle, pack, type PackEntry } from './pack-writer.ts';

export const BRANCH_REF = 'refs/heads/agent/fix-1';

const readme = blob('# Fixture\n');
const main = blob('export const one = 1;\n');
const test = blob('import "./main.js";\n');
const source = tree([file('main.js', main), file('main.test.js', test)]);
const root = tree([file('README.md', readme), folder('src', source)]);
// Below the boundary of the source pack: never in it.
const older = commit({ tree: root.oid, message: 'Older than the source' });
const boundary = commit({ tree: root.oid, parents: [older.oid], message: 'Begin' });
const start = commit({ tree: root.oid, parents: [boundary.oid], message: 'The start commit' });

/** The start commit and what lies under it; `boundary` is its parent, whose own parent is not in the pack. */
export const FIXTURE = {
  readme,
  main,
  test,
  source,
  root,
  boundary,
  start,
  rootEntries: [file('README.md', readme), folder('src', source)],
  objects: [readme, main, test, source, root, boundary, start],
} as const;

export function fixtureBasePack(
  objects: readonly GitObject[] = FIXTURE.objects,
): BasePack & { bytesNow: Buffer } {
  const bytesNow = pack(objects);
  return {
    sha256: createHash('sha256').update(bytesNow).digest('hex'),
    bytes: bytesNow.length,
    shallow: [FIXTURE.boundary.oid],
    bytesNow,
    async *read() {
      yield bytesNow;
    },
  };
}

export interface BundleParts {
  head?: string;
  header?: string;
  base?: string;
  ref?: string;
}

/** A bundle with these entries in its pack, under the header that is expected unless told otherwise. */
export function bundleWith(
  content: readonly (GitObject | PackEntry)[],
  head: string,
  parts: BundleParts = {},
): Buffer {
  return bundle(parts.header ?? headerFor(head, parts), pack(content));
}

export function headerFor(head: string, parts: BundleParts = {}): string {
  return `# v2 git bundle\n-${parts.base ?? FIXTURE.start.oid} The start commit\n${head} ${parts.ref ?? BRANCH_REF}\n\n`;
}

/** One commit on the start commit whose root tree has these entries besides those of the start. */
export function changeAtRoot(
  entries: readonly TreeEntry[],
  objects: readonly (GitObject | PackEntry)[],
): Buffer {
  const newRoot = tree([...FIXTURE.rootEntries, ...entries]);
  return bundleOfTree(newRoot, objects);
}

export function bundleOfTree(
  newRoot: GitObject,
  objects: readonly (GitObject | PackEntry)[],
): Buffer {
  const head = commit({ tree: newRoot.oid, parents: [FIXTURE.start.oid] });
  return bundleWith([...objects, newRoot, head], head.oid);
}

/** The benign twin: one commit that changes a file and adds one. */
export function benignBundle(): {
  bytes: Buffer;
  head: GitObject;
  root: GitObject;
  added: GitObject;
  changed: GitObject;
  source: GitObject;
} {
  const changed = blob('export const one = 2;\n');
  const added = blob('more\n');
  const newSource = tree([
    file('main.js', changed),
    file('main.test.js', test),
    file('more.txt', added),
  ]);
  const newRoot = tree([file('README.md', readme), folder('src', newSource)]);
  const head = commit({ tree: newRoot.oid, parents: [start.oid], message: 'Fix it' });
  const bytes = bundleWith([changed, added, newSource, newRoot, head], head.oid);
  return { bytes, head, root: newRoot, added, changed, source: newSource };
}
