/**
 * Reads the index that git wrote when the step's tree was laid out: which paths the tree has, and by which marks (inode,
 * change time, size) one knows that a file was not touched since. No program without privileges can set a change time.
 */
import { readFileSync, statSync } from 'node:fs';

const ENTRY_BYTES = 62;
const EXTENDED_FLAG = 0x4000;
const NAME_MASK = 0xfff;
// A file changed within the clock's grain of being written could bear the same time; what was written last is read again.
const GRAIN_MS = 50;

/**
 * @typedef {{ mode: number, oid: () => string, ctimeMs: number, inode: number, size: number, certain: boolean }} IndexEntry
 * @param {string} path of an index, version 2 or 3
 * @returns {Map<string, IndexEntry>} by path; a path is its bytes, one character each
 */
export function readIndex(path) {
  const bytes = readFileSync(path);
  const writtenMs = statSync(path).mtimeMs;
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 3) {
    throw new Error(`the index ${path} has an unknown form`);
  }
  const entries = new Map();
  let at = 12;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flags = bytes.readUInt16BE(at + 60);
    const nameAt = at + ENTRY_BYTES + ((flags & EXTENDED_FLAG) === 0 ? 0 : 2);
    const length = flags & NAME_MASK;
    const nameEnd = length < NAME_MASK ? nameAt + length : bytes.indexOf(0, nameAt);
    const ctimeMs = bytes.readUInt32BE(at) * 1000 + bytes.readUInt32BE(at + 4) / 1e6;
    const oidAt = at + 40;
    entries.set(bytes.latin1Slice(nameAt, nameEnd), {
      mode: bytes.readUInt32BE(at + 24),
      // Few are ever asked for.
      oid: () => bytes.toString('hex', oidAt, oidAt + 20),
      ctimeMs,
      inode: bytes.readUInt32BE(at + 20),
      size: bytes.readUInt32BE(at + 36),
      certain: ctimeMs < writtenMs - GRAIN_MS,
    });
    // Padded with one to eight NULs to a multiple of eight.
    at += (nameEnd - at + 8) & ~7;
  }
  return entries;
}
