/**
 * Walks what a step left behind, directory by directory, without following a link and without opening a file. A path is
 * its bytes, one character each, so that names in no known encoding survive.
 */
import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { isGitDirectoryName } from './git-names.mjs';
import { Problem } from './problem.mjs';

export const MAX_PATH_BYTES = 3500;
const MODE_FILE = 0o100644;
const MODE_EXECUTABLE = 0o100755;
const MODE_LINK = 0o120000;
export const MODE_GITLINK = 0o160000;

/**
 * Compares a directory with the tree it was made from.
 * @returns what is suspect (path, mode, stat, the entry it had), what is gone, what was left out and why; with
 * `trackedOnly` what is new is not looked into but named
 */
export async function walkTree(options) {
  const { root, entries: index, ignoredAmong, maxEntries, trackedOnly, apart } = options;
  const entries = index.toMap();
  const trackedDirectories = directoriesOf(entries.keys());
  const seen = new Set();
  const found = { suspects: [], removed: [], skipped: [], ignored: [], untracked: [] };
  let level = [''];
  let visited = 0;

  function skip(path, reason) {
    found.skipped.push({ path, reason });
  }

  function visitFile(path, untracked) {
    const tracked = entries.get(path);
    if (tracked === undefined) {
      untracked.push(path);
      return;
    }
    seen.add(path);
    const stat = lstatSync(Buffer.from(`${root}/${path}`, 'latin1'));
    const mode = modeOf(stat);
    if (tracked.certain && mode === tracked.mode && isUntouched(stat, tracked)) return;
    found.suspects.push({ path, mode, size: stat.size, permissions: stat.mode & 0o777, tracked });
  }

  while (level.length > 0) {
    const files = [];
    const directories = [];
    const next = [];
    for (const directory of level) {
      for (const item of readDirectory(root, directory)) {
        visited += 1;
        if (visited > maxEntries)
          throw new Problem('too_many_files', `the tree has more than ${maxEntries} entries`);
        const path = directory === '' ? item.name : `${directory}/${item.name}`;
        if (path.length > MAX_PATH_BYTES)
          throw new Problem('path_too_long', `${path.slice(0, 100)}… is too long a path`);
        if (isGitDirectoryName(item.name)) {
          if (path !== '.git') skip(path, 'git_directory');
        } else if (item.isDirectory()) {
          if (entries.get(path)?.mode === MODE_GITLINK) {
            seen.add(path);
            if (readDirectory(root, path).length > 0) skip(path, 'inside_gitlink');
          } else if (trackedDirectories.has(path)) next.push(path);
          else directories.push(path);
        } else if (item.isFile() || item.isSymbolicLink()) visitFile(path, files);
        else skip(path, kindOf(item));
      }
    }
    const ignored = await ignoredAmong(files, directories);
    next.push(...sortNew({ root, found, files, directories, ignored, trackedOnly, apart }));
    level = next;
  }
  for (const [path, entry] of entries) {
    // The files of a submodule are never laid out; its absence says nothing.
    if (!seen.has(path) && entry.mode !== MODE_GITLINK) found.removed.push(path);
  }
  return found;
}

/**
 * Sorts new paths into ignored, untracked and suspect ones, and gives the new directories to look into. What an
 * environment laid out (`apart`) is named when it was touched and is no work, whatever the rules say of it.
 */
export function sortNew({ root, found, files, directories, ignored, trackedOnly, apart }) {
  function isWork(path, name) {
    if (apart.holds(path)) {
      if (apart.isTouched(path)) found.untracked.push(name);
    } else if (ignored.has(path)) found.ignored.push(name);
    else return true;
    return false;
  }
  const newDirectories = directories.filter((path) => isWork(path, `${path}/`));
  const newFiles = files.filter((path) => isWork(path, path));
  if (trackedOnly) {
    found.untracked.push(...newDirectories.map((path) => `${path}/`), ...newFiles);
    return [];
  }
  for (const path of newFiles) found.suspects.push(suspectAt(root, path));
  return newDirectories;
}

/** A path with what its file looks like; `tracked` is the entry that the tree had under this path. */
export function suspectAt(root, path, tracked) {
  const stat = lstatSync(Buffer.from(`${root}/${path}`, 'latin1'));
  const suspect = { path, mode: modeOf(stat), size: stat.size, permissions: stat.mode & 0o777 };
  return tracked === undefined ? suspect : { ...suspect, tracked };
}

function modeOf(stat) {
  if (stat.isSymbolicLink()) return MODE_LINK;
  return (stat.mode & 0o100) === 0 ? MODE_FILE : MODE_EXECUTABLE;
}

function isUntouched(stat, tracked) {
  return (
    stat.ctimeMs === tracked.ctimeMs &&
    stat.ino % 2 ** 32 === tracked.inode &&
    stat.size % 2 ** 32 === tracked.size
  );
}

/** Lists a directory with the kinds of its entries; one that its owner made unreadable is opened first. */
export function readDirectory(root, directory) {
  const path = Buffer.from(`${root}/${directory}`, 'latin1');
  const options = { withFileTypes: true, encoding: 'latin1' };
  try {
    return readdirSync(path, options);
  } catch (error) {
    if (error.code !== 'EACCES') throw error;
    // The agent took its own right to read away; the files belong to the user that both run as.
    chmodSync(path, 0o700);
    return readdirSync(path, options);
  }
}

function directoriesOf(paths) {
  const directories = new Set();
  for (const path of paths) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const directory = path.slice(0, at);
      if (directories.has(directory)) break;
      directories.add(directory);
    }
  }
  return directories;
}

/** What an entry is that is neither file nor link nor directory. */
export function kindOf(item) {
  if (item.isFIFO()) return 'fifo';
  return item.isSocket() ? 'socket' : 'device';
}
