/**
 * Decides from the bytes alone whether a bundle is worth giving to git: exactly the one ref and the one prerequisite that
 * the ticket names, then a pack whose claim and checksum hold. Git itself accepts any number of refs, under any name.
 */
import { createHash } from 'node:crypto';
import { BundleRefused } from './import-reasons.ts';
import { OID_PATTERN, ZERO_OID } from './oid.ts';
import { quoteForLog } from './quote-for-log.ts';

export const BUNDLE_SIGNATURE = '# v2 git bundle\n';
export const MAX_HEADER_BYTES = 4_096;

/** What the ticket says: the full ref (`refs/heads/...`) and the start commit. */
export interface ExpectedBundle {
  ref: string;
  base: string;
}

export interface BundleHeader {
  /** The head that the bundle offers for the expected ref. */
  head: string;
  /** Where the pack begins. */
  packOffset: number;
  objectCount: number;
}

const PACK_HEADER_BYTES = 12;
const SHA1_BYTES = 20;
const PREREQUISITE = /^-([0-9a-f]{40})(?: .*)?$/s;
const REF = /^([0-9a-f]{40}) (.*)$/s;

/**
 * Parses the header and checks the pack's preamble and checksum.
 * @throws BundleRefused with the reason.
 */
export function parseBundle(
  bytes: Uint8Array,
  expected: ExpectedBundle,
  maxObjects: number,
): BundleHeader {
  const { lines, packOffset } = readHeaderLines(bytes);
  const [prerequisiteLine, refLine, ...more] = lines;
  const prerequisite = PREREQUISITE.exec(prerequisiteLine ?? '');
  const ref = REF.exec(refLine ?? '');
  if (prerequisite === null || ref === null || more.length > 0) {
    throw new BundleRefused(
      'bundle_header',
      `the header must be one prerequisite and one ref, but has ${lines.length} lines`,
    );
  }
  if (prerequisite[1] !== expected.base) {
    throw new BundleRefused(
      'bundle_prerequisite',
      `the bundle builds on ${prerequisite[1]}, not on the start commit ${expected.base}`,
    );
  }
  const [, head = '', name = ''] = ref;
  if (name !== expected.ref) {
    throw new BundleRefused(
      'bundle_ref',
      `the bundle offers ${quoteForLog(name, 200)}, not ${expected.ref}`,
    );
  }
  if (!OID_PATTERN.test(head) || head === ZERO_OID) {
    throw new BundleRefused('bundle_header', 'the ref has no object name');
  }
  if (head === expected.base) {
    throw new BundleRefused('bundle_head_is_base', 'the head is the start commit: nothing changed');
  }
  return { head, packOffset, objectCount: checkPack(bytes.subarray(packOffset), maxObjects) };
}

function readHeaderLines(bytes: Uint8Array): { lines: string[]; packOffset: number } {
  // Latin-1 keeps one character for each byte, so that offsets and comparisons are those of the bytes.
  const head = Buffer.from(bytes.subarray(0, MAX_HEADER_BYTES)).toString('latin1');
  if (!head.startsWith(BUNDLE_SIGNATURE)) {
    throw new BundleRefused('bundle_header', 'not a version 2 git bundle');
  }
  const end = head.indexOf('\n\n', BUNDLE_SIGNATURE.length - 1);
  if (end === -1) {
    throw new BundleRefused(
      'bundle_header',
      `no end of the header within ${MAX_HEADER_BYTES} bytes`,
    );
  }
  const body = head.slice(BUNDLE_SIGNATURE.length, Math.max(end, BUNDLE_SIGNATURE.length));
  return { lines: body === '' ? [] : body.split('\n'), packOffset: end + 2 };
}

function checkPack(pack: Uint8Array, maxObjects: number): number {
  const bytes = Buffer.from(pack.buffer, pack.byteOffset, pack.byteLength);
  if (
    bytes.length < PACK_HEADER_BYTES + SHA1_BYTES ||
    bytes.toString('latin1', 0, 4) !== 'PACK' ||
    bytes.readUInt32BE(4) !== 2
  ) {
    throw new BundleRefused('pack_preamble', 'no version 2 pack follows the header');
  }
  const objectCount = bytes.readUInt32BE(8);
  if (objectCount === 0 || objectCount > maxObjects) {
    throw new BundleRefused(
      'pack_object_count',
      `the pack claims ${objectCount} objects; 1 to ${maxObjects} are allowed`,
    );
  }
  const sum = createHash('sha1').update(bytes.subarray(0, -SHA1_BYTES)).digest();
  if (!sum.equals(bytes.subarray(-SHA1_BYTES))) {
    throw new BundleRefused('pack_checksum', 'the pack does not end in its own checksum');
  }
  return objectCount;
}
