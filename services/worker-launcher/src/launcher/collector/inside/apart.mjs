/**
 * The paths that an environment laid into a step's tree: no work of the step and never taken, whatever it made of them.
 * The tree's own files there are its files as anywhere else.
 */
import { lstatSync } from 'node:fs';
import { bytesOf, pathOf } from './copy-tree.mjs';
import { readDirectory } from './walk-tree.mjs';

/**
 * Creates the question. In a tree of its own (`since`, in milliseconds) what was not changed after that moment is not
 * worth naming; in a layer everything was changed.
 */
export function createApart({ root, paths, since }) {
  const roots = new Set(paths.map(pathOf));

  /** Whether a path lies at or below one of them. */
  function holds(path) {
    if (roots.size === 0) return false;
    if (roots.has(path)) return true;
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      if (roots.has(path.slice(0, at))) return true;
    }
    return false;
  }

  /** Whether the step changed something there. Nobody without privileges can set a change time. */
  function isTouched(path) {
    if (since === undefined) return true;
    const open = [path];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const stat = lstatSync(bytesOf(`${root}/${at}`));
      if (stat.ctimeMs > since) return true;
      if (!stat.isDirectory()) continue;
      for (const { name } of readDirectory(root, at)) open.push(`${at}/${name}`);
    }
    return false;
  }

  return { holds, isTouched };
}
