/** Objects that git itself would not make. For tests. */
import type { ImportReason } from '../../import-reasons.ts';
import { bundleOfTree, bundleWith, changeAtRoot, FIXTURE } from '../fixture-repository.ts';
import { file, folder, gitObject, tree } from '../object-writer.ts';
import { payload, twin, twinObjects, type HostileBundle } from './hostile-bundle.ts';

function withCommit(name: string, reason: ImportReason, text: string): HostileBundle {
  const head = gitObject('commit', text);
  return {
    name,
    reason,
    make: () => bundleWith([...twinObjects.slice(0, -1), head], head.oid),
  };
}

const WHO = 'A <a@example.com> 1700000000 +0000';
const TREE_LINE = `tree ${twin.root.oid}\nparent ${FIXTURE.start.oid}\n`;

export const OBJECT_FAMILY: readonly HostileBundle[] = [
  ...['100777', '104755', '0100644', '100000', '140000'].map((mode): HostileBundle => ({
    name: `mode ${mode}`,
    reason: 'pack_refused',
    make: () => changeAtRoot([file('x', payload, mode)], [payload]),
  })),
  {
    name: 'an entry twice',
    reason: 'pack_refused',
    make: () =>
      bundleOfTree(tree([...FIXTURE.rootEntries, file('x', payload), file('x', payload)]), [
        payload,
      ]),
  },
  {
    name: 'a file and a folder of one name',
    reason: 'pack_refused',
    make: () =>
      bundleOfTree(
        tree([...FIXTURE.rootEntries, file('x', payload), folder('x', FIXTURE.source)]),
        [payload],
      ),
  },
  {
    name: 'entries out of order',
    reason: 'pack_refused',
    make: () =>
      bundleOfTree(tree([...FIXTURE.rootEntries, file('A', payload)], 'as_given'), [payload]),
  },
  {
    name: 'a null object name',
    reason: 'pack_refused',
    make: () => changeAtRoot([{ mode: '100644', name: 'x', oid: '0'.repeat(40) }], []),
  },
  {
    name: 'a tree that is named as a file',
    reason: 'pack_refused',
    make: () => changeAtRoot([file('x', FIXTURE.source)], []),
  },
  withCommit(
    'a bad date',
    'pack_refused',
    `${TREE_LINE}author A <a@example.com> 99999999999999999999 +0000\ncommitter ${WHO}\n\nx\n`,
  ),
  withCommit(
    'a bad time zone',
    'pack_refused',
    `${TREE_LINE}author A <a@example.com> 1700000000 zone\ncommitter ${WHO}\n\nx\n`,
  ),
  withCommit(
    'two authors',
    'pack_refused',
    `${TREE_LINE}author ${WHO}\nauthor ${WHO}\ncommitter ${WHO}\n\nx\n`,
  ),
  withCommit(
    'a NUL in its header',
    'pack_refused',
    `${TREE_LINE}author A\0 <a@example.com> 1700000000 +0000\ncommitter ${WHO}\n\nx\n`,
  ),
  withCommit('no author', 'pack_refused', `${TREE_LINE}committer ${WHO}\n\nx\n`),
];
