/** Histories that are not one line on the start commit. For tests. */
import { bundleWith, FIXTURE } from '../fixture-repository.ts';
import { blob, commit, file, tree, type GitObject } from '../object-writer.ts';
import { twin, twinObjects, type HostileBundle } from './hostile-bundle.ts';

const side = commit({ tree: FIXTURE.root.oid, parents: [FIXTURE.start.oid], message: 'Side' });
const secret = blob('evil\n');
const evilRoot = tree([...FIXTURE.rootEntries, file('evil', secret)]);

/** `count` commits, one on the other, on the start commit. */
export function longHistory(count: number): Buffer {
  const commits: GitObject[] = [];
  let parent: string = FIXTURE.start.oid;
  for (let i = 0; i < count; i += 1) {
    const next = commit({ tree: twin.root.oid, parents: [parent], message: `Step ${i}` });
    commits.push(next);
    parent = next.oid;
  }
  return bundleWith([twin.changed, twin.added, twin.source, twin.root, ...commits], parent);
}

export const HISTORY_FAMILY: readonly HostileBundle[] = [
  {
    name: 'an evil merge',
    reason: 'history_merge',
    make: () => {
      const merge = commit({ tree: evilRoot.oid, parents: [FIXTURE.start.oid, side.oid] });
      return bundleWith([secret, evilRoot, side, merge], merge.oid);
    },
  },
  {
    name: 'an orphan root',
    reason: 'history_root',
    make: () => {
      const orphan = commit({ tree: twin.root.oid });
      return bundleWith([...twinObjects.slice(0, -1), orphan], orphan.oid);
    },
  },
  {
    name: 'a line from an older commit',
    reason: 'history_detached',
    make: () => {
      const head = commit({ tree: twin.root.oid, parents: [FIXTURE.boundary.oid] });
      return bundleWith([...twinObjects.slice(0, -1), head], head.oid);
    },
  },
  {
    name: 'a parent that nobody has',
    reason: 'missing_object',
    make: () => {
      const head = commit({ tree: twin.root.oid, parents: ['2'.repeat(40)] });
      return bundleWith([...twinObjects.slice(0, -1), head], head.oid);
    },
  },
  { name: 'a long history', reason: 'history_too_long', make: () => longHistory(51) },
];
