/** Bundles of a few kilobytes that grow past every bound when they are read. For tests. */
import { bundleOfTree, bundleWith, changeAtRoot, FIXTURE } from '../fixture-repository.ts';
import { blob, commit, file, folder, tree, type GitObject } from '../object-writer.ts';
import { copyingDelta, deltaEntry, repeatedBlobOid } from '../pack-writer.ts';
import { payload, twin, twinObjects, type HostileBundle } from './hostile-bundle.ts';

const zeros = blob(Buffer.alloc(65_536));

/** 64 KiB of zeros, blown up to 250 MiB by a chain of two deltas; the pack is under a kilobyte. */
function deltaBomb(): Buffer {
  const sizes = [65_536, 65_536 * 200, 65_536 * 200 * 20];
  const oids = sizes.map((size) => repeatedBlobOid(0, size));
  const [, mid = '', big = ''] = oids;
  const newRoot = tree([...FIXTURE.rootEntries, { mode: '100644', name: 'bomb', oid: big }]);
  const first = deltaEntry(zeros.oid, copyingDelta(65_536, 65_536, 200));
  const second = deltaEntry(mid, copyingDelta(65_536 * 200, 65_536 * 200, 20));
  return bundleOfTree(newRoot, [zeros, first, second]);
}

/** Ten levels of ten entries: 10^10 paths from eleven trees. With no file at all in it when `leaf` is the empty tree. */
function treeBomb(leaf: 'file' | 'nothing'): Buffer {
  const objects: GitObject[] = [];
  let level = leaf === 'file' ? tree([file('x', payload)]) : tree([]);
  objects.push(payload, level);
  for (let depth = 0; depth < 10; depth += 1) {
    const inner = level;
    level = tree(Array.from({ length: 10 }, (_, i) => folder(`d${i}`, inner)));
    objects.push(level);
  }
  const used = leaf === 'file' ? objects : objects.slice(1);
  return changeAtRoot([folder('bomb', level)], used);
}

function deepTree(levels: number): Buffer {
  const objects: GitObject[] = [payload];
  let level = tree([file('x', payload)]);
  for (let depth = 0; depth < levels; depth += 1) {
    objects.push(level);
    level = tree([folder('d', level)]);
  }
  return changeAtRoot([folder('deep', level)], [...objects, level]);
}

export const BOMB_FAMILY: readonly HostileBundle[] = [
  {
    name: 'a zip bomb',
    reason: 'pack_over_limits',
    make: () => {
      const bomb = blob(Buffer.alloc(96 * 1_048_576));
      return changeAtRoot([file('bomb', bomb)], [bomb]);
    },
  },
  { name: 'a delta bomb', reason: 'pack_over_limits', make: deltaBomb },
  { name: 'a tree bomb', reason: 'too_many_paths', make: () => treeBomb('file') },
  { name: 'a tree bomb without files', reason: 'too_many_paths', make: () => treeBomb('nothing') },
  { name: 'a very deep tree', reason: 'too_many_paths', make: () => deepTree(15_000) },
  {
    name: 'one medium blob',
    reason: 'object_too_large',
    make: () => {
      const medium = blob(Buffer.alloc(5 * 1_048_576));
      return changeAtRoot([file('medium', medium)], [medium]);
    },
  },
  {
    name: 'many medium blobs',
    reason: 'object_too_large',
    make: () => {
      const blobs = Array.from({ length: 12 }, (_, i) => blob(Buffer.alloc(3 * 1_048_576, i)));
      return changeAtRoot(
        blobs.map((b, i) => file(`medium-${i}`, b)),
        blobs,
      );
    },
  },
  {
    name: 'a long message',
    reason: 'object_too_large',
    make: () => {
      const head = commit({
        tree: twin.root.oid,
        parents: [FIXTURE.start.oid],
        message: 'x'.repeat(20 * 1_048_576),
      });
      return bundleWith([...twinObjects.slice(0, -1), head], head.oid);
    },
  },
  {
    name: 'more changed files than allowed',
    reason: 'too_many_changes',
    make: () =>
      changeAtRoot(
        Array.from({ length: 1_001 }, (_, i) => file(`f${i}`, payload)),
        [payload],
      ),
  },
];
