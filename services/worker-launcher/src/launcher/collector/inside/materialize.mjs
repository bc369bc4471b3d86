/**
 * Writes the tree that a step is given: raw bytes, no filter, no conversion, links as links. The index that git keeps
 * beside it remembers every file as it was written, so that afterwards only what changed is read.
 */
import { cpSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { commitTree } from './commit-tree.mjs';
import { copyTree, pathOf } from './copy-tree.mjs';
import { Problem } from './problem.mjs';
import { treeOf } from './run-operations.mjs';
import { showTree } from './shown-tree.mjs';
import { stepFiles } from './step-files.mjs';
import { ENVIRONMENT_LAYER, HISTORY, HISTORY_IN_STEP, STORE } from './stores.mjs';

const BRANCH = 'refs/heads/work';
const STEP_CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
[user]
\tname = agent
\temail = agent@localhost
`;

/** Makes the worktree of `params.tree`, as it is shown, for the step `params.key`, with a git directory that only the agent will use. */
export async function materialize({ git, params }) {
  const files = stepFiles(params.key);
  if (existsSync(files.tree)) {
    throw new Problem(
      'step_exists',
      `the step ${params.key} already has a worktree; an attempt needs a key of its own`,
    );
  }
  const tree = await treeOf(git, params.tree);
  const shown = await showTree(git, params.configuration, tree);
  await checkOut(git, { index: files.index, tree: shown.tree, directory: files.tree });
  await makeStepRepository(git, {
    directory: `${files.tree}/.git`,
    index: files.index,
    tree: shown.tree,
    start: params.start,
  });
  if (params.environment.length > 0) layOutEnvironment(files, params.environment);
  return { tree, withheld: shown.withheld, withheldCount: shown.withheldCount };
}

/** A copy, so that what the step does to it stays its own. What the tree has itself stands above it. */
function layOutEnvironment(files, paths) {
  for (const path of paths) {
    copyTree({ from: ENVIRONMENT_LAYER, to: files.tree, path: pathOf(path) });
  }
  writeFileSync(files.environmentLaid, '');
}

/** Writes a tree into `directory`, and beside it the index that remembers each file as it was written. */
export async function checkOut(git, { index, tree, directory }) {
  // The place of the git directory is made with it, so that it can be mounted over.
  mkdirSync(`${directory}/.git`, { recursive: true });
  const options = { gitDir: STORE, env: { GIT_INDEX_FILE: index }, problem: 'unusable_tree' };
  await git.output(['read-tree', tree], options);
  await git.output(['checkout-index', '--all', '--force', '--quiet', '--index'], {
    ...options,
    cwd: directory,
    env: { ...options.env, GIT_WORK_TREE: directory },
    config: ['core.symlinks=true'],
  });
}

/** Makes the git directory that agents are given with a tree: the start commit's history, and above it what was done. */
export async function makeStepRepository(git, { directory, index, tree, start }) {
  for (const sub of ['objects/pack', 'objects/info', 'refs/heads', 'refs/tags', 'info']) {
    mkdirSync(`${directory}/${sub}`, { recursive: true });
  }
  writeFileSync(`${directory}/config`, STEP_CONFIG);
  writeFileSync(`${directory}/HEAD`, `ref: ${BRANCH}\n`);
  writeFileSync(`${directory}/objects/info/alternates`, `${HISTORY_IN_STEP}/objects\n`);
  if (existsSync(`${HISTORY}/shallow`)) cpSync(`${HISTORY}/shallow`, `${directory}/shallow`);
  let head = start;
  if (tree !== (await treeOf(git, start))) {
    // What earlier steps did stands as one commit above the start commit.
    head = await commitTree(git, tree, start);
    await git.output(['pack-objects', '-q', '--revs', `${directory}/objects/pack/pack`], {
      gitDir: STORE,
      input: `${head}\n^${start}\n`,
    });
  }
  writeFileSync(`${directory}/${BRANCH}`, `${head}\n`);
  // Same files, same times: the agent's `git status` need not read them all.
  copyFileSync(index, `${directory}/index`);
}
