/**
 * The tree of what a step left: found by walking, hashed byte for byte, written with an index and a store that the agent
 * never touched. Nothing of the agent's is run, and none of its settings, attributes or ignore rules is read.
 */
import { copyFileSync, statSync } from 'node:fs';
import { createApart } from './apart.mjs';
import { commitTree } from './commit-tree.mjs';
import { hashSuspects } from './hash-files.mjs';
import { createIgnoreRules } from './ignore-rules.mjs';
import { readIndex } from './index-file.mjs';
import { writePack } from './pack-operations.mjs';
import { Problem } from './problem.mjs';
import { readDiff, showPath } from './read-diff.mjs';
import { treeOf } from './run-operations.mjs';
import { showTree } from './shown-tree.mjs';
import { stepFiles } from './step-files.mjs';
import { STORE } from './stores.mjs';
import { treeFiles } from './layered-tree.mjs';
import { walkLayer } from './walk-layer.mjs';
import { walkTree } from './walk-tree.mjs';

const RESULT_INDEX = '/tmp/result-index';
const NO_CHANGES = { changes: [], linesCounted: true };
const REFUSALS = new Set([
  'too_many_files',
  'path_too_long',
  'file_too_large',
  'change_too_large',
  'unusable_path',
]);

/** Takes the tree of the step `params.key`, which was given `params.given`. */
export async function takeTree({ git, params, output }) {
  try {
    return { kind: 'taken', ...(await take(git, params, output)) };
  } catch (error) {
    if (error instanceof Problem && REFUSALS.has(error.problem)) {
      return { kind: 'refused', reason: error.problem, message: showPath(error.message) };
    }
    throw error;
  }
}

async function take(git, params, output) {
  const { limits } = params;
  const given = await treeOf(git, params.given);
  const { index, root, walk, since } = placesOf(params, given);
  const entries = readIndex(index);
  const found = await walk({
    root,
    entries,
    ignoredAmong: createIgnoreRules(git, entries, index),
    maxEntries: limits.maxEntries,
    trackedOnly: params.trackedOnly,
    apart: createApart({ root, paths: params.apart, since }),
  });
  const changed = await hashSuspects({ git, root, suspects: found.suspects, limits });
  // What the step did to the tree that it was shown is done to the one that it was given: what it was not shown stays.
  const shown = await showTree(git, params.configuration, given);
  const from = { given, index: shown.tree === given ? index : null };
  const tree = await writeTree(git, from, found.removed, changed);
  const commit = await commitTree(git, tree, params.start);
  const { changes, linesCounted } = tree === given ? NO_CHANGES : await readDiff(git, given, tree);
  const packBytes =
    params.maxPackBytes === null || tree === (await treeOf(git, params.start))
      ? null
      : (
          await writePack({
            git,
            params: { commit, start: params.start, maxBytes: params.maxPackBytes },
            output,
          })
        ).bytes;
  return {
    packBytes,
    tree,
    commit,
    changeCount: changes.length,
    changes: changes.slice(0, limits.maxListed),
    linesAdded: linesCounted ? sum(changes, 'added') : null,
    linesRemoved: linesCounted ? sum(changes, 'removed') : null,
    skippedCount: found.skipped.length,
    skipped: found.skipped
      .slice(0, limits.maxListed)
      .map(({ path, reason }) => ({ path: showPath(path), reason })),
    untrackedCount: found.untracked.length,
    untracked: listed(found.untracked),
    ignoredCount: found.ignored.length,
    ignored: listed(found.ignored),
    gitDirectoryTouched: found.gitDirectoryTouched === true,
  };

  function listed(paths) {
    return paths.slice(0, limits.maxListed).map(showPath);
  }
}

/** Where the step's work lies: in its layer over a tree that was laid out once, or in a worktree of its own. */
function placesOf(params, given) {
  const files = stepFiles(params.key);
  if (!params.layered) {
    const since = statSync(files.environmentLaid, { throwIfNoEntry: false })?.mtimeMs;
    return { index: files.index, root: files.tree, walk: walkTree, since };
  }
  return { index: treeFiles(given).index, root: files.upper, walk: walkLayer };
}

async function writeTree(git, { given, index }, removed, changed) {
  if (removed.length === 0 && changed.length === 0) return given;
  const options = {
    gitDir: STORE,
    env: { GIT_INDEX_FILE: RESULT_INDEX },
    problem: 'unusable_path',
  };
  if (index === null) await git.output(['read-tree', given], options);
  else copyFileSync(index, RESULT_INDEX);
  // Removals first: a file may stand where a directory stood.
  const lines = removed.map((path) => `0 ${'0'.repeat(40)}\t${path}\0`);
  for (const { path, mode, oid } of changed) lines.push(`${mode.toString(8)} ${oid}\t${path}\0`);
  await git.output(['update-index', '-z', '--index-info'], {
    ...options,
    input: Buffer.from(lines.join(''), 'latin1'),
  });
  const bytes = await git.output(['write-tree'], options);
  return bytes.toString('latin1').trim();
}

function sum(changes, field) {
  return changes.reduce((total, change) => total + (change[field] ?? 0), 0);
}
