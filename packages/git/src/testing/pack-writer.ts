/** Writes packs and bundles entry by entry, so that a test can lie about a count, a size or a base. For tests. */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { GitObject } from './object-writer.ts';

const TYPE = { commit: 1, tree: 2, blob: 3, tag: 4, refDelta: 7 } as const;

/** One entry of a pack, ready to be written. */
export interface PackEntry {
  bytes: Buffer;
}

export function wholeEntry(object: GitObject): PackEntry {
  return {
    bytes: Buffer.concat([
      entryHeader(TYPE[object.kind], object.bytes.length),
      deflate(object.bytes),
    ]),
  };
}

/** An entry that makes its object from another one by the delta. */
export function deltaEntry(baseOid: string, delta: Buffer): PackEntry {
  return {
    bytes: Buffer.concat([
      entryHeader(TYPE.refDelta, delta.length),
      Buffer.from(baseOid, 'hex'),
      deflate(delta),
    ]),
  };
}

export interface PackLies {
  /** What the preamble claims instead of the true number. */
  count?: number;
  /** Bytes between the last entry and the checksum, which covers them. */
  junk?: Buffer;
}

export function pack(content: readonly (GitObject | PackEntry)[], lies: PackLies = {}): Buffer {
  const entries = content.map((item) => ('kind' in item ? wholeEntry(item) : item));
  const preamble = Buffer.alloc(12);
  preamble.write('PACK');
  preamble.writeUInt32BE(2, 4);
  preamble.writeUInt32BE(lies.count ?? entries.length, 8);
  const body = Buffer.concat([
    preamble,
    ...entries.map((e) => e.bytes),
    lies.junk ?? Buffer.alloc(0),
  ]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

export function bundle(header: string | Buffer, packBytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(header), packBytes]);
}

/** A delta that copies `length` bytes from the start of its base, `times` over. */
export function copyingDelta(baseSize: number, length: number, times: number): Buffer {
  // Offset bytes are left out (zero); the three size bytes are all given.
  const copy = Buffer.from([0xf0, length & 0xff, (length >> 8) & 0xff, (length >> 16) & 0xff]);
  return Buffer.concat([
    deltaSize(baseSize),
    deltaSize(length * times),
    ...Array.from({ length: times }, () => copy),
  ]);
}

/** The oid of content of one repeated byte, computed without holding it. */
export function repeatedBlobOid(byte: number, size: number): string {
  const hash = createHash('sha1').update(`blob ${size}\0`);
  const block = Buffer.alloc(65_536, byte);
  for (let left = size; left > 0; left -= block.length) hash.update(block.subarray(0, left));
  return hash.digest('hex');
}

function deltaSize(size: number): Buffer {
  const bytes: number[] = [];
  let left = size;
  while (left >= 0x80) {
    bytes.push((left % 0x80) | 0x80);
    left = Math.floor(left / 0x80);
  }
  return Buffer.from([...bytes, left]);
}

function entryHeader(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let left = Math.floor(size / 16);
  let current = (type << 4) | (size % 16);
  while (left > 0) {
    bytes.push(current | 0x80);
    current = left % 0x80;
    left = Math.floor(left / 0x80);
  }
  return Buffer.from([...bytes, current]);
}

function deflate(bytes: Buffer): Buffer {
  return deflateSync(bytes, { level: 9 });
}
