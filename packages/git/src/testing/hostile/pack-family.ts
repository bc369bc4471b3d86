/** Packs that lie about themselves, lack something, or carry something besides. For tests. */
import { bundleWith, headerFor } from '../fixture-repository.ts';
import { tag } from '../object-writer.ts';
import { bundle, copyingDelta, deltaEntry, pack, wholeEntry } from '../pack-writer.ts';
import { payload, twin, twinObjects, type HostileBundle } from './hostile-bundle.ts';

const HEADER = headerFor(twin.head.oid);

export const PACK_FAMILY: readonly HostileBundle[] = [
  {
    name: 'a claim of four billion objects',
    reason: 'pack_object_count',
    make: () => bundle(HEADER, pack(twinObjects, { count: 0xffff_ffff })),
  },
  {
    name: 'a claim of no objects',
    reason: 'pack_object_count',
    make: () => bundle(HEADER, pack(twinObjects, { count: 0 })),
  },
  {
    name: 'a claim of one object too many',
    reason: 'pack_refused',
    make: () => bundle(HEADER, pack(twinObjects, { count: 6 })),
  },
  {
    name: 'a claim of one object too few',
    reason: 'pack_refused',
    make: () => bundle(HEADER, pack(twinObjects, { count: 4 })),
  },
  { name: 'a truncated pack', reason: 'pack_checksum', make: () => twin.bytes.subarray(0, -30) },
  {
    name: 'trailing bytes',
    reason: 'pack_checksum',
    make: () => Buffer.concat([twin.bytes, Buffer.from('trailing')]),
  },
  {
    name: 'junk before the checksum',
    reason: 'pack_refused',
    make: () => bundle(HEADER, pack(twinObjects, { junk: Buffer.from('junk') })),
  },
  { name: 'no pack', reason: 'pack_preamble', make: () => Buffer.from(HEADER) },
  {
    name: 'a version 3 pack',
    reason: 'pack_preamble',
    make: () => {
      const bytes = pack(twinObjects);
      bytes.writeUInt32BE(3, 4);
      return bundle(HEADER, bytes);
    },
  },
  {
    name: 'a missing blob',
    reason: 'missing_object',
    make: () => bundleWith([twin.changed, twin.source, twin.root, twin.head], twin.head.oid),
  },
  {
    name: 'a missing tree',
    reason: 'missing_object',
    make: () => bundleWith([twin.changed, twin.added, twin.root, twin.head], twin.head.oid),
  },
  {
    name: 'a missing head',
    reason: 'missing_object',
    make: () => bundleWith(twinObjects.slice(0, -1), twin.head.oid),
  },
  {
    name: 'a delta on an object that nobody has',
    reason: 'pack_refused',
    make: () =>
      bundleWith(
        [...twinObjects, deltaEntry('1'.repeat(40), copyingDelta(10, 10, 1))],
        twin.head.oid,
      ),
  },
  {
    name: 'an object that nothing needs',
    reason: 'unreachable_object',
    make: () => bundleWith([...twinObjects, payload], twin.head.oid),
  },
  {
    name: 'a tag object',
    reason: 'object_kind',
    make: () => bundleWith([...twinObjects, tag(twin.head, 'v1')], twin.head.oid),
  },
  {
    name: 'a tag as its head',
    reason: 'object_kind',
    make: () => {
      const t = tag(twin.head, 'v1');
      return bundleWith([...twinObjects, t], t.oid);
    },
  },
  {
    name: 'a blob as its head',
    reason: 'head_not_commit',
    make: () => bundleWith([payload], payload.oid),
  },
  {
    name: 'a tree as its head',
    reason: 'head_not_commit',
    make: () => bundleWith(twinObjects.slice(0, -1), twin.root.oid),
  },
  {
    name: 'the same object twice with one of them other',
    reason: 'pack_refused',
    make: () =>
      bundleWith(
        [...twinObjects, { bytes: wholeEntry(twin.added).bytes.subarray(0, -1) }],
        twin.head.oid,
      ),
  },
];
