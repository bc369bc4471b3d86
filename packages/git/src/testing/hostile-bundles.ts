/**
 * One bundle for each known way to attack an importer, each differing from the benign one in the one thing it is named for,
 * with the reason for which it is refused. For tests.
 */
import type { ImportReason } from '../import-reasons.ts';
import {
  benignBundle,
  BRANCH_REF,
  bundleOfTree,
  bundleWith,
  changeAtRoot,
  FIXTURE,
  headerFor,
} from './fixture-repository.ts';
import { blob, commit, file, folder, gitObject, tag, tree, type GitObject } from './object-writer.ts';
import { bundle, copyingDelta, deltaEntry, pack, repeatedBlobOid, wholeEntry } from './pack-writer.ts';

export interface HostileBundle {
  name: string;
  reason: ImportReason;
  make(): Buffer;
}

const twin = benignBundle();
const twinObjects = [twin.changed, twin.added, twin.source, twin.root, twin.head];
const payload = blob('payload\n');

function withHeader(name: string, reason: ImportReason, header: string | Buffer): HostileBundle {
  return { name, reason, make: () => bundle(header, pack(twinObjects)) };
}

function withRef(name: string, ref: string): HostileBundle {
  const header = Buffer.from(headerFor(twin.head.oid, { ref }), 'latin1');
  return withHeader(`ref name ${name}`, 'bundle_ref', header);
}

function withName(name: string | Buffer, entry: 'file' | 'folder' = 'file'): HostileBundle {
  const inner = tree([file('x', payload)]);
  return {
    name: `path ${JSON.stringify(name.toString())}`,
    reason: 'pack_refused',
    make: () =>
      entry === 'file'
        ? changeAtRoot([file(name, payload)], [payload])
        : changeAtRoot([folder(name, inner)], [payload, inner]),
  };
}

function withCommit(name: string, reason: ImportReason, text: string): HostileBundle {
  const head = gitObject('commit', text);
  return {
    name,
    reason,
    make: () => bundleWith([...twinObjects.slice(0, -1), head], head.oid),
  };
}

function withModules(name: string, text: string): HostileBundle {
  const modules = blob(text);
  return {
    name: `.gitmodules ${name}`,
    reason: 'pack_refused',
    make: () => changeAtRoot([file('.gitmodules', modules)], [modules]),
  };
}

const HEADER = headerFor(twin.head.oid);
const [signature = '', prerequisite = '', refLine = ''] = HEADER.split('\n');
const WHO = 'A <a@example.com> 1700000000 +0000';
const TREE_LINE = `tree ${twin.root.oid}\nparent ${FIXTURE.start.oid}\n`;

export const HEADER_FAMILY: readonly HostileBundle[] = [
  withHeader('an extra ref', 'bundle_header', `${signature}\n${prerequisite}\n${refLine}\n${twin.head.oid} refs/tags/v1.0.0\n\n`),
  withHeader('a replace ref', 'bundle_header', `${signature}\n${prerequisite}\n${refLine}\n${twin.added.oid} refs/replace/${FIXTURE.readme.oid}\n\n`),
  withHeader('an extra prerequisite', 'bundle_header', `${signature}\n${prerequisite}\n-${FIXTURE.boundary.oid}\n${refLine}\n\n`),
  withHeader('no prerequisite', 'bundle_header', `${signature}\n${refLine}\n\n`),
  withHeader('no ref', 'bundle_header', `${signature}\n${prerequisite}\n\n`),
  withHeader('no lines at all', 'bundle_header', `${signature}\n\n`),
  withHeader('a version 3 filter', 'bundle_header', `# v3 git bundle\n@filter=blob:none\n${prerequisite}\n${refLine}\n\n`),
  withHeader('a capability in version 2', 'bundle_header', `${signature}\n@object-format=sha1\n${prerequisite}\n${refLine}\n\n`),
  withHeader('a header that does not end', 'bundle_header', `${signature}\n${prerequisite} ${'x'.repeat(5_000)}\n${refLine}\n\n`),
  withHeader('another prerequisite', 'bundle_prerequisite', headerFor(twin.head.oid, { base: FIXTURE.boundary.oid })),
  withHeader('upper-case object names', 'bundle_header', HEADER.toUpperCase().replace(signature.toUpperCase(), signature)),
  withHeader('the start commit as its head', 'bundle_head_is_base', headerFor(FIXTURE.start.oid)),
  withHeader('the zero name as its head', 'bundle_header', headerFor('0'.repeat(40))),
  withRef('of an option', '--upload-pack=touch /tmp/x'),
  withRef('of a path', 'refs/heads/../../hooks/post-checkout'),
  withRef('of the default branch', 'refs/heads/main'),
  withRef('with a suffix', `${BRANCH_REF}.lock`),
  withRef('with an escape', `${BRANCH_REF}\x1b[2J`),
  withRef('not in UTF-8', `${BRANCH_REF}\xff\xfe`),
  withRef('with a second word', `${BRANCH_REF} refs/heads/main`),
];

const zeros = blob(Buffer.alloc(65_536));

/** 64 KiB of zeros, blown up by a chain of three deltas; the pack is under a kilobyte. */
function deltaBomb(): Buffer {
  const sizes = [65_536, 65_536 * 200, 65_536 * 200 * 110];
  const oids = sizes.map((size) => repeatedBlobOid(0, size));
  const [, mid = '', big = ''] = oids;
  const newRoot = tree([...FIXTURE.rootEntries, { mode: '100644', name: 'bomb', oid: big }]);
  const first = deltaEntry(zeros.oid, copyingDelta(65_536, 65_536, 200));
  const second = deltaEntry(mid, copyingDelta(65_536 * 200, 65_536 * 200, 110));
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
      const bomb = blob(Buffer.alloc(256 * 1_048_576));
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
      return changeAtRoot(blobs.map((b, i) => file(`medium-${i}`, b)), blobs);
    },
  },
  {
    name: 'a long message',
    reason: 'object_too_large',
    make: () => {
      const head = commit({ tree: twin.root.oid, parents: [FIXTURE.start.oid], message: 'x'.repeat(20 * 1_048_576) });
      return bundleWith([...twinObjects.slice(0, -1), head], head.oid);
    },
  },
  {
    name: 'more changed files than allowed',
    reason: 'too_many_changes',
    make: () => changeAtRoot(Array.from({ length: 1_001 }, (_, i) => file(`f${i}`, payload)), [payload]),
  },
];

export const PACK_FAMILY: readonly HostileBundle[] = [
  { name: 'a claim of four billion objects', reason: 'pack_object_count', make: () => bundle(HEADER, pack(twinObjects, { count: 0xffff_ffff })) },
  { name: 'a claim of no objects', reason: 'pack_object_count', make: () => bundle(HEADER, pack(twinObjects, { count: 0 })) },
  { name: 'a claim of one object too many', reason: 'pack_refused', make: () => bundle(HEADER, pack(twinObjects, { count: 6 })) },
  { name: 'a claim of one object too few', reason: 'pack_refused', make: () => bundle(HEADER, pack(twinObjects, { count: 4 })) },
  { name: 'a truncated pack', reason: 'pack_checksum', make: () => twin.bytes.subarray(0, -30) },
  { name: 'trailing bytes', reason: 'pack_checksum', make: () => Buffer.concat([twin.bytes, Buffer.from('trailing')]) },
  { name: 'junk before the checksum', reason: 'pack_refused', make: () => bundle(HEADER, pack(twinObjects, { junk: Buffer.from('junk') })) },
  { name: 'no pack', reason: 'pack_preamble', make: () => Buffer.from(HEADER) },
  { name: 'a version 3 pack', reason: 'pack_preamble', make: () => { const bytes = pack(twinObjects); bytes.writeUInt32BE(3, 4); return bundle(HEADER, bytes); } },
  { name: 'a missing blob', reason: 'missing_object', make: () => bundleWith([twin.changed, twin.source, twin.root, twin.head], twin.head.oid) },
  { name: 'a missing tree', reason: 'missing_object', make: () => bundleWith([twin.changed, twin.added, twin.root, twin.head], twin.head.oid) },
  { name: 'a missing head', reason: 'missing_object', make: () => bundleWith(twinObjects.slice(0, -1), twin.head.oid) },
  { name: 'a delta on an object that nobody has', reason: 'pack_refused', make: () => bundleWith([...twinObjects, deltaEntry('1'.repeat(40), copyingDelta(10, 10, 1))], twin.head.oid) },
  { name: 'an object that nothing needs', reason: 'unreachable_object', make: () => bundleWith([...twinObjects, payload], twin.head.oid) },
  { name: 'a tag object', reason: 'object_kind', make: () => bundleWith([...twinObjects, tag(twin.head, 'v1')], twin.head.oid) },
  { name: 'a tag as its head', reason: 'object_kind', make: () => { const t = tag(twin.head, 'v1'); return bundleWith([...twinObjects, t], t.oid); } },
  { name: 'a blob as its head', reason: 'head_not_commit', make: () => bundleWith([payload], payload.oid) },
  { name: 'a tree as its head', reason: 'head_not_commit', make: () => bundleWith(twinObjects.slice(0, -1), twin.root.oid) },
  { name: 'the same object twice with one of them other', reason: 'pack_refused', make: () => bundleWith([...twinObjects, { bytes: wholeEntry(twin.added).bytes.subarray(0, -1) }], twin.head.oid) },
];

export const NAME_FAMILY: readonly HostileBundle[] = [
  withName('.git', 'folder'),
  withName('.GIT', 'folder'),
  withName('git~1', 'folder'),
  withName('.g\u200cit', 'folder'),
  withName('.git ', 'folder'),
  withName('.git::$INDEX_ALLOCATION', 'folder'),
  withName('.git'),
  withName('..', 'folder'),
  withName('.', 'folder'),
  withName('a/b'),
  withName(''),
  {
    name: 'path that is not UTF-8',
    reason: 'path_not_utf8',
    make: () => changeAtRoot([file(Buffer.from([0x66, 0xff, 0xfe]), payload)], [payload]),
  },
  withModules('with an option as its url', '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n'),
  withModules('with an option as its path', '[submodule "x"]\n\tpath = --x\n\turl = https://example.com/x\n'),
  withModules('with a command as its update', '[submodule "x"]\n\tpath = x\n\turl = https://example.com/x\n\tupdate = !id\n'),
  withModules('with a path as its name', '[submodule "../../hooks"]\n\tpath = x\n\turl = https://example.com/x\n'),
  {
    name: '.gitmodules as a symbolic link',
    reason: 'pack_refused',
    make: () => changeAtRoot([file('.gitmodules', payload, '120000')], [payload]),
  },
  {
    name: '.gitattributes as a symbolic link',
    reason: 'pack_refused',
    make: () => changeAtRoot([file('.gitattributes', payload, '120000')], [payload]),
  },
];

export const OBJECT_FAMILY: readonly HostileBundle[] = [
  ...['100777', '104755', '0100644', '100000', '140000'].map((mode): HostileBundle => ({
    name: `mode ${mode}`,
    reason: 'pack_refused',
    make: () => changeAtRoot([file('x', payload, mode)], [payload]),
  })),
  { name: 'an entry twice', reason: 'pack_refused', make: () => bundleOfTree(tree([...FIXTURE.rootEntries, file('x', payload), file('x', payload)]), [payload]) },
  { name: 'a file and a folder of one name', reason: 'pack_refused', make: () => bundleOfTree(tree([...FIXTURE.rootEntries, file('x', payload), folder('x', FIXTURE.source)]), [payload]) },
  { name: 'entries out of order', reason: 'pack_refused', make: () => bundleOfTree(tree([...FIXTURE.rootEntries, file('A', payload)], 'as_given'), [payload]) },
  { name: 'a null object name', reason: 'pack_refused', make: () => changeAtRoot([{ mode: '100644', name: 'x', oid: '0'.repeat(40) }], []) },
  { name: 'a tree that is named as a file', reason: 'pack_refused', make: () => changeAtRoot([file('x', FIXTURE.source)], []) },
  withCommit('a bad date', 'pack_refused', `${TREE_LINE}author A <a@example.com> 99999999999999999999 +0000\ncommitter ${WHO}\n\nx\n`),
  withCommit('a bad time zone', 'pack_refused', `${TREE_LINE}author A <a@example.com> 1700000000 zone\ncommitter ${WHO}\n\nx\n`),
  withCommit('two authors', 'pack_refused', `${TREE_LINE}author ${WHO}\nauthor ${WHO}\ncommitter ${WHO}\n\nx\n`),
  withCommit('a NUL in its header', 'pack_refused', `${TREE_LINE}author A\0 <a@example.com> 1700000000 +0000\ncommitter ${WHO}\n\nx\n`),
  withCommit('no author', 'pack_refused', `${TREE_LINE}committer ${WHO}\n\nx\n`),
];

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
