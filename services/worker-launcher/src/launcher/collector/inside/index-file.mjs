/**
 * Reads the index that git wrote when the step's tree was laid out: which paths the tree has, and by which marks (inode,
 * change time, size) one knows that a file was not touched since. No program without privileges can set a change time.
 */
import { readFileSync, statSync } from 'node:fs';

const ENTRY_BYTES = 62;
const EXTENDED_FLAG = 0x4000;
const NAME_MASK = 0xfff;
const SLASH = 0x2f;
// A file changed within the clock's grain of being written could bear the same time; what was written last is read again.
const GRAIN_MS = 50;

/**
 * @typedef {{ mode: number, oid: () => string, ctimeMs: number, inode: number, size: number, certain: boolean }} IndexEntry
 * Opens an index, version 2 or 3. A path is its bytes, one character each. Entries are sorted by these bytes and looked up
 * where they lie: of a large tree a step touches little, and what it does not touch need not be read.
 * @param {string} path
 */
export function readIndex(path) {
  const bytes = readFileSync(path);
  const writtenMs = statSync(path).mtimeMs;
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 3) {
    throw new Error(`the index ${path} has an unknown form`);
  }
  const { starts, names, ends } = findEntries(bytes);

  function pathAt(i) {
    return bytes.latin1Slice(names[i], ends[i]);
  }

  function entryAt(i) {
    const at = starts[i];
    const ctimeMs = bytes.readUInt32BE(at) * 1000 + bytes.readUInt32BE(at + 4) / 1e6;
    return {
      mode: bytes.readUInt32BE(at + 24),
      // Few are ever asked for.
      oid: () => bytes.toString('hex', at + 40, at + 60),
      ctimeMs,
      inode: bytes.readUInt32BE(at + 20),
      size: bytes.readUInt32BE(at + 36),
      certain: ctimeMs < writtenMs - GRAIN_MS,
    };
  }

  /** The first entry that does not stand before this path. */
  function lowerBound(wanted, from = 0) {
    let low = from;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (bytes.compare(wanted, 0, wanted.length, names[middle], ends[middle]) < 0)
        low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function find(wantedPath) {
    const wanted = Buffer.from(wantedPath, 'latin1');
    const i = lowerBound(wanted);
    const isThere =
      i < starts.length && bytes.compare(wanted, 0, wanted.length, names[i], ends[i]) === 0;
    return isThere ? i : -1;
  }

  function startsWith(i, prefix) {
    if (i >= starts.length || ends[i] - names[i] < prefix.length) return false;
    return bytes.compare(prefix, 0, prefix.length, names[i], names[i] + prefix.length) === 0;
  }

  return {
    /** @returns {IndexEntry | undefined} */
    get(wantedPath) {
      const i = find(wantedPath);
      return i === -1 ? undefined : entryAt(i);
    },
    has: (wantedPath) => find(wantedPath) !== -1,
    /** Whether any file lies below this directory. */
    hasDirectory(directory) {
      const prefix = Buffer.from(`${directory}/`, 'latin1');
      return startsWith(lowerBound(prefix), prefix);
    },
    /** The paths of the files and directories that lie in this directory. */
    children(directory) {
      const prefix = Buffer.from(directory === '' ? '' : `${directory}/`, 'latin1');
      const found = [];
      for (let i = lowerBound(prefix); startsWith(i, prefix);) {
        const slash = bytes.indexOf(SLASH, names[i] + prefix.length);
        if (slash === -1 || slash >= ends[i]) {
          found.push(pathAt(i));
          i += 1;
          continue;
        }
        found.push(bytes.latin1Slice(names[i], slash));
        // On to what stands behind everything in that directory.
        const behind = Buffer.from(bytes.subarray(names[i], slash + 1));
        behind[behind.length - 1] = SLASH + 1;
        i = lowerBound(behind, i + 1);
      }
      return found;
    },
    /** Every path whose last part is this name. */
    named(name) {
      const found = [];
      const wanted = Buffer.from(name, 'latin1');
      for (let i = 0; i < starts.length; i += 1) {
        const at = ends[i] - wanted.length;
        if (at < names[i] || (at > names[i] && bytes[at - 1] !== SLASH)) continue;
        if (bytes.compare(wanted, 0, wanted.length, at, ends[i]) === 0) found.push(pathAt(i));
      }
      return found;
    },
    /** All of it, by path. @returns {Map<string, IndexEntry>} */
    toMap() {
      const entries = new Map();
      for (let i = 0; i < starts.length; i += 1) entries.set(pathAt(i), entryAt(i));
      return entries;
    },
  };
}

/** Where each entry, its name and the end of its name lie. */
function findEntries(bytes) {
  const count = bytes.readUInt32BE(8);
  const starts = new Uint32Array(count);
  const names = new Uint32Array(count);
  const ends = new Uint32Array(count);
  let at = 12;
  for (let i = 0; i < count; i += 1) {
    const flags = bytes.readUInt16BE(at + 60);
    const nameAt = at + ENTRY_BYTES + ((flags & EXTENDED_FLAG) === 0 ? 0 : 2);
    const length = flags & NAME_MASK;
    const nameEnd = length < NAME_MASK ? nameAt + length : bytes.indexOf(0, nameAt);
    starts[i] = at;
    names[i] = nameAt;
    ends[i] = nameEnd;
    // Padded with one to eight NULs to a multiple of eight.
    at += (nameEnd - at + 8) & ~7;
  }
  return { starts, names, ends };
}
