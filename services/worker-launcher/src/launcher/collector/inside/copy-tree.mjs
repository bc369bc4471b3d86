/**
 * Copies directories that somebody else's program made: links as links, no special file, no bit that changes whose rights
 * a program has, and through no link that stands in the way. What stands at the target already stays as it is.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { readDirectory } from './walk-tree.mjs';

/** A path is its bytes, one character each. */
export function bytesOf(path) {
  return Buffer.from(path, 'latin1');
}

/** The path that the launcher spells as a text. */
export function pathOf(text) {
  return Buffer.from(text).toString('latin1');
}

/**
 * Copies what lies at `path` below `from` to the same place below `to`. `onEntry` sees each path with its stat before it
 * is copied, and may throw; special files are left out.
 * @returns false when something that is no directory stands above the target
 */
export function copyTree({ from, to, path, onEntry }) {
  if (!makeWay(to, path)) return false;
  const open = [path];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const source = bytesOf(`${from}/${at}`);
    const target = bytesOf(`${to}/${at}`);
    const stat = lstatSync(source);
    onEntry?.(at, stat);
    if (stat.isDirectory()) {
      if (!makeDirectory(target)) continue;
      for (const { name } of readDirectory(from, at)) open.push(`${at}/${name}`);
    } else if (stat.isSymbolicLink()) {
      unlessThere(() => symlinkSync(readlinkSync(source, 'buffer'), target));
    } else if (stat.isFile()) copyFile(source, target, stat);
  }
  return true;
}

function copyFile(source, target, stat) {
  const permissions = (stat.mode & 0o777) | 0o600;
  // Only its owner's rights can be missing: files belong to the user that all of this runs as.
  if ((stat.mode & 0o400) === 0) chmodSync(source, permissions);
  const flags = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;
  if (!unlessThere(() => copyFileSync(source, target, flags))) return;
  chmodSync(target, permissions);
  // Compiled Python and build tools go by the times of their sources.
  utimesSync(target, stat.atimeMs / 1000, stat.mtimeMs / 1000);
}

/** Makes the directories above a path; false when something else stands there. */
function makeWay(root, path) {
  const parts = path.split('/').slice(0, -1);
  return parts.every((_, i) =>
    makeDirectory(bytesOf(`${root}/${parts.slice(0, i + 1).join('/')}`)),
  );
}

function makeDirectory(path) {
  return unlessThere(() => mkdirSync(path, 0o755)) || lstatSync(path).isDirectory();
}

function unlessThere(make) {
  try {
    make();
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}
