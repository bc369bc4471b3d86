/**
 * Turns files into blobs, byte for byte. A file that only looks touched (its times changed, its bytes did not) is found
 * out by its hash before anything is written, so that the bounds hold for real changes alone.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { Problem } from './problem.mjs';
import { STORE } from './stores.mjs';

const LINKS = '/tmp/links';
const MODE_LINK = 0o120000;
const PIECE_BYTES = 1024 * 1024;

/**
 * Stores the suspects that really differ.
 * @returns those, each with its `oid`
 */
export async function hashSuspects({ git, root, suspects, limits }) {
  const changed = [];
  let bytes = 0;
  for (const suspect of suspects) {
    const file = Buffer.from(`${root}/${suspect.path}`, 'latin1');
    const isLink = suspect.mode === MODE_LINK;
    if (!isLink && (suspect.permissions & 0o400) === 0)
      chmodSync(file, suspect.permissions | 0o400);
    if (isOnlyTouched(suspect, file)) continue;
    bytes += suspect.size;
    if (suspect.size > limits.maxFileBytes) {
      throw new Problem(
        'file_too_large',
        `${suspect.path} has ${suspect.size} bytes; at most ${limits.maxFileBytes} are taken`,
      );
    }
    if (bytes > limits.maxChangedBytes) {
      throw new Problem(
        'change_too_large',
        `the changed files have more than ${limits.maxChangedBytes} bytes`,
      );
    }
    if (changed.length >= limits.maxChangedFiles) {
      throw new Problem('too_many_files', `more than ${limits.maxChangedFiles} files were changed`);
    }
    changed.push({
      ...suspect,
      source: isLink ? linkContent(file, changed.length) : file.toString('latin1'),
    });
  }
  if (changed.length === 0) return [];
  const printed = await git.output(['hash-object', '-w', '--no-filters', '--stdin-paths'], {
    gitDir: STORE,
    input: Buffer.from(changed.map((c) => `${quotePath(c.source)}\n`).join(''), 'latin1'),
  });
  const oids = printed.toString('latin1').trimEnd().split('\n');
  if (oids.length !== changed.length) throw new Error('git named fewer blobs than there are files');
  return changed.map((c, i) => ({ ...c, oid: oids[i] }));
}

function isOnlyTouched(suspect, file) {
  const { tracked } = suspect;
  if (tracked === undefined || tracked.mode !== suspect.mode) return false;
  // git writes a size of zero when it is not certain itself.
  if (tracked.size !== suspect.size && tracked.size !== 0) return false;
  const hash = createHash('sha1').update(`blob ${suspect.size}\0`);
  if (suspect.mode === MODE_LINK) hash.update(readlinkSync(file, 'buffer'));
  else if (!hashFile(file, suspect.size, hash)) return false;
  return hash.digest('hex') === tracked.oid();
}

function hashFile(file, size, hash) {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (fstatSync(fd).size !== size) return false;
    const piece = Buffer.alloc(Math.min(size, PIECE_BYTES));
    for (let length = readSync(fd, piece); length > 0; length = readSync(fd, piece)) {
      hash.update(piece.subarray(0, length));
    }
    return true;
  } finally {
    closeSync(fd);
  }
}

/** The target of a link as a file, because git reads blobs from files or one at a time. */
function linkContent(file, number) {
  mkdirSync(LINKS, { recursive: true });
  const path = `${LINKS}/${number}`;
  writeFileSync(path, readlinkSync(file, 'buffer'));
  return path;
}

// git reads one path a line, drops a carriage return at its end, and understands C quoting.
function quotePath(path) {
  if (!/[\r\n]/.test(path)) return path;
  const quoted = path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `"${quoted}"`;
}
