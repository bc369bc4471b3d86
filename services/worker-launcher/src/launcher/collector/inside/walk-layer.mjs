/**
 * Walks the layer in which a step's writes landed. What lies in it was touched, what does not was not; what is gone is
 * seen by looking at the touched directories as the step saw them, so that nobody need read the marks of the kernel.
 */
import { isGitDirectoryName } from './git-names.mjs';
import { Problem } from './problem.mjs';
import { MERGED } from './stores.mjs';
import {
  kindOf,
  MAX_PATH_BYTES,
  MODE_GITLINK,
  readDirectory,
  sortNew,
  suspectAt,
} from './walk-tree.mjs';

/**
 * Compares a layer with the tree below it.
 * @returns what `walkTree` returns, and whether the git directory was touched
 */
export async function walkLayer({ root, entries, ignoredAmong, maxEntries, trackedOnly, apart }) {
  const gone = createRemovals(entries);
  const found = {
    suspects: [],
    removed: [],
    skipped: [],
    ignored: [],
    untracked: [],
    gitDirectoryTouched: false,
  };
  /** Touched directories that the tree has too, each after the one in which it lies. */
  const shared = [];
  let level = [''];
  let visited = 0;

  function visit(item, path, directories, files) {
    if (isGitDirectoryName(item.name)) {
      if (path === '.git') found.gitDirectoryTouched = true;
      else found.skipped.push({ path, reason: 'git_directory' });
    } else if (item.isDirectory()) {
      if (entries.get(path)?.mode === MODE_GITLINK) {
        if (readDirectory(root, path).length > 0)
          found.skipped.push({ path, reason: 'inside_gitlink' });
      } else if (entries.hasDirectory(path)) return path;
      else {
        gone.add(path);
        directories.push(path);
      }
    } else if (item.isFile() || item.isSymbolicLink()) {
      const tracked = entries.get(path);
      if (tracked !== undefined) {
        found.suspects.push(suspectAt(root, path, tracked));
        return undefined;
      }
      gone.add(path);
      files.push(path);
    } else if (isDeletion(item)) gone.add(path);
    else {
      gone.add(path);
      found.skipped.push({ path, reason: kindOf(item) });
    }
    return undefined;
  }

  while (level.length > 0) {
    const files = [];
    const directories = [];
    const next = [];
    for (const directory of level) {
      if (directory === '' || entries.hasDirectory(directory)) shared.push(directory);
      for (const item of readDirectory(root, directory)) {
        visited += 1;
        if (visited > maxEntries)
          throw new Problem('too_many_files', `more than ${maxEntries} files were written`);
        const path = directory === '' ? item.name : `${directory}/${item.name}`;
        if (path.length > MAX_PATH_BYTES)
          throw new Problem('path_too_long', `${path.slice(0, 100)}… is too long a path`);
        const open = visit(item, path, directories, files);
        if (open !== undefined) next.push(open);
      }
    }
    const ignored = await ignoredAmong(files, directories);
    next.push(...sortNew({ root, found, files, directories, ignored, trackedOnly, apart }));
    level = next;
  }
  // Only now: permissions that a directory lacked have been given to it, and the other view must not have seen it before.
  for (const directory of shared) gone.addMissing(directory, readDirectory(MERGED, directory));
  found.removed = gone.paths();
  return found;
}

/** Collects paths of which nothing is left, and says which files of the tree that takes away. */
function createRemovals(entries) {
  const roots = new Set();

  function add(path) {
    const entry = entries.get(path);
    // The files of a submodule are never laid out; its absence says nothing.
    if (entry === undefined ? entries.hasDirectory(path) : entry.mode !== MODE_GITLINK)
      roots.add(path);
  }

  return {
    add,
    addMissing(directory, present) {
      const names = new Set(present.map((item) => item.name));
      for (const path of entries.children(directory)) {
        if (!names.has(path.slice(path.lastIndexOf('/') + 1))) add(path);
      }
    },
    paths() {
      const removed = [];
      const open = [...roots];
      for (let path = open.pop(); path !== undefined; path = open.pop()) {
        const entry = entries.get(path);
        if (entry === undefined) open.push(...entries.children(path));
        else if (entry.mode !== MODE_GITLINK) removed.push(path);
      }
      return [...new Set(removed)];
    },
  };
}

/** In an overlay nobody can make a device, so that this can only be the kernel's mark. */
function isDeletion(item) {
  return item.isCharacterDevice();
}
