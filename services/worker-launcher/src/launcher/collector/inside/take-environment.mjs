/**
 * Takes in what the commands of an environment made: the paths that it says it produces, and of these only what the tree
 * does not have itself. Install scripts of strangers ran there, so nothing is followed, and everything is counted.
 */
import { spawn } from 'node:child_process';
import { lstatSync, mkdirSync } from 'node:fs';
import { bytesOf, copyTree, pathOf } from './copy-tree.mjs';
import { readIndex } from './index-file.mjs';
import { treeFiles } from './layered-tree.mjs';
import { Problem } from './problem.mjs';
import { showPath } from './read-diff.mjs';
import { treeOf } from './run-operations.mjs';
import { stepFiles } from './step-files.mjs';
import { ENVIRONMENT_LAYER } from './stores.mjs';
import { MAX_PATH_BYTES, readDirectory } from './walk-tree.mjs';

const REFUSALS = new Set([
  'link_in_path',
  'too_many_paths',
  'too_many_files',
  'too_large',
  'path_too_long',
]);

/** Copies what lies at `params.produces` into the layer of the environment. */
export async function takeEnvironment({ git, params }) {
  const given = await treeOf(git, params.given);
  const files = stepFiles(params.key);
  const root = params.layered ? files.upper : files.tree;
  const entries = readIndex(params.layered ? treeFiles(given).index : files.index);
  try {
    const taken = take({ root, entries, ...params });
    await writeOut();
    return taken;
  } catch (error) {
    if (!(error instanceof Problem) || !REFUSALS.has(error.problem)) throw error;
    return { kind: 'refused', reason: error.problem, message: showPath(error.message) };
  }
}

function take({ root, entries, produces, limits, leaveOut }) {
  const found = { carried: [], missing: [] };
  const steersAgents = new RegExp(leaveOut);
  for (const path of produces) {
    const wanted = pathOf(path);
    const before = found.carried.length;
    if (isReached(root, wanted)) {
      for (const at of survey(root, entries, wanted)) {
        if (steersAgents.test(at)) continue;
        if (found.carried.length >= limits.maxPaths) throw tooManyPaths(limits);
        found.carried.push(at);
      }
    }
    if (found.carried.length === before) found.missing.push(path);
  }
  mkdirSync(ENVIRONMENT_LAYER, { recursive: true });
  const sum = { entries: 0, bytes: 0 };
  for (const path of found.carried) {
    copyTree({
      from: root,
      to: ENVIRONMENT_LAYER,
      path,
      onEntry: (at, stat) => add(sum, at, stat, limits),
    });
  }
  return {
    kind: 'taken',
    ...sum,
    paths: found.carried.map((path) => bytesOf(path).toString('utf8')),
    missing: found.missing,
  };
}

/** Whether something lies at the path, through directories alone. */
function isReached(root, path) {
  const parts = path.split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const at = parts.slice(0, length).join('/');
    const stat = lstatSync(bytesOf(`${root}/${at}`), { throwIfNoEntry: false });
    // A device is the mark of a deletion.
    if (stat === undefined || stat.isCharacterDevice()) return false;
    if (stat.isSymbolicLink()) {
      throw new Problem('link_in_path', `${at} is a link; only files and directories are produced`);
    }
    if (length < parts.length && !stat.isDirectory()) return false;
  }
  return true;
}

function tooManyPaths({ maxPaths }) {
  return new Problem(
    'too_many_paths',
    `more than ${maxPaths} paths were produced beside what the tree has; let directories of their own be made`,
  );
}

/** The topmost paths at and below this one that the tree does not have. */
function* survey(root, entries, path) {
  const open = [path];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    // A name that cannot be told to the launcher cannot be kept apart from the work of steps either.
    if (entries.has(at) || !isText(at)) continue;
    const stat = lstatSync(bytesOf(`${root}/${at}`));
    if (!stat.isDirectory()) {
      if (stat.isFile() || stat.isSymbolicLink()) yield at;
    } else if (!entries.hasDirectory(at)) yield at;
    else for (const { name } of readDirectory(root, at)) open.push(`${at}/${name}`);
  }
}

function isText(path) {
  return bytesOf(path).equals(Buffer.from(bytesOf(path).toString('utf8')));
}

function add(sum, path, stat, limits) {
  sum.entries += 1;
  // A file without content takes room as well.
  sum.bytes += stat.isFile() ? stat.size : 0;
  if (path.length > MAX_PATH_BYTES) {
    throw new Problem('path_too_long', `${path.slice(0, 100)}… is too long a path`);
  }
  if (sum.entries > limits.maxEntries) {
    throw new Problem('too_many_files', `more than ${limits.maxEntries} files were produced`);
  }
  if (sum.bytes > limits.maxBytes) {
    throw new Problem('too_large', `more than ${limits.maxBytes} bytes were produced`);
  }
}

/** What is said to be complete must outlive a loss of power. */
function writeOut() {
  return new Promise((resolve, reject) => {
    const child = spawn('/usr/bin/sync', ['-f', ENVIRONMENT_LAYER], { stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`sync failed with ${code}`));
    });
  });
}
