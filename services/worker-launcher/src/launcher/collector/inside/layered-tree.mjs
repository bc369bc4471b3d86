/**
 * Lays a tree out once per run, as layers that any number of steps see at the same time: the start commit's tree in full,
 * any other as what differs from it. That makes what a step costs depend on what was changed and not on the project's size.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readIndex } from './index-file.mjs';
import { checkOut, makeStepRepository } from './materialize.mjs';
import { diffTrees } from './read-diff.mjs';
import { treeOf } from './run-operations.mjs';
import { showTree } from './shown-tree.mjs';
import { RUN, STORE } from './stores.mjs';

const OID = /^[0-9a-f]{40}$/;
const MODE_GITLINK = '160000';
// Fewer than any common file system allows.
const MAX_LINKS = 1_000;

/** Where a given tree lies as it is shown: `files` for the start commit's, `layer` for any other, the agents' git directory in `git`. */
export function treeFiles(oid) {
  if (!OID.test(oid)) throw new Error(`"${oid}" is not the name of a tree`);
  const directory = `${RUN}/trees/${oid}`;
  return {
    directory,
    files: `${directory}/files`,
    layer: `${directory}/layer`,
    git: `${directory}/git`,
    index: `${directory}/index`,
    complete: `${directory}/complete`,
  };
}

/** Lays `params.tree` out, as it is shown, unless it is there; the start commit's tree lies below each other one. */
export async function layOutTree({ git, params }) {
  const startTree = await treeOf(git, params.start);
  const tree = await treeOf(git, params.tree);
  const below = await showTree(git, params.configuration, startTree);
  const shown = tree === startTree ? below : await showTree(git, params.configuration, tree);
  await layOut(startTree, below.tree, (at) => layOutWhole(git, at, below.tree));
  if (tree !== startTree) {
    await layOut(tree, shown.tree, (at) =>
      layOutChange(git, at, shown.tree, { oid: below.tree, index: treeFiles(startTree).index }),
    );
  }
  const { withheld, withheldCount } = shown;
  return { tree, startTree, withheld, withheldCount };

  async function layOut(oid, shownOid, fill) {
    const at = treeFiles(oid);
    if (existsSync(at.complete)) return;
    // What lies there was left half-way by a collector that was ended.
    rmSync(at.directory, { recursive: true, force: true });
    mkdirSync(at.git, { recursive: true });
    await fill(at);
    await makeStepRepository(git, {
      directory: `${at.git}/.git`,
      index: at.index,
      tree: shownOid,
      start: params.start,
    });
    writeFileSync(at.complete, '');
  }
}

async function layOutWhole(git, at, tree) {
  await checkOut(git, { index: at.index, tree, directory: at.files });
}

async function layOutChange(git, at, tree, below) {
  copyFileSync(below.index, at.index);
  mkdirSync(at.layer);
  const { lines, present, removed } = await readChange(git, below.oid, tree);
  const options = {
    gitDir: STORE,
    cwd: at.layer,
    env: { GIT_INDEX_FILE: at.index, GIT_WORK_TREE: at.layer },
    problem: 'unusable_tree',
  };
  await git.output(['update-index', '-z', '--index-info'], {
    ...options,
    input: Buffer.from(lines.join(''), 'latin1'),
  });
  await git.output(['checkout-index', '--force', '--quiet', '--index', '-z', '--stdin'], {
    ...options,
    config: ['core.symlinks=true'],
    input: Buffer.from(present.map((path) => `${path}\0`).join(''), 'latin1'),
  });
  await hide(at, removed);
}

async function readChange(git, from, to) {
  const removals = [];
  const additions = [];
  const present = [];
  const removed = [];
  for (const { path, status, newMode, newOid } of await diffTrees(git, from, to)) {
    if (status === 'D') {
      removals.push(`0 ${'0'.repeat(40)}\t${path}\0`);
      removed.push(path);
    } else {
      additions.push(`${newMode} ${newOid}\t${path}\0`);
      // The files of a submodule are never laid out; the place itself is made with the others.
      if (newMode !== MODE_GITLINK || status === 'A') present.push(path);
    }
  }
  // Removals first: a file may stand where a directory stood.
  return { lines: [...removals, ...additions], present, removed };
}

/** Marks paths of the layer below as deleted, a directory of which nothing is left as a whole. */
async function hide(at, removed) {
  if (removed.length === 0) return;
  const entries = readIndex(at.index);
  const marks = new Set();
  for (const path of removed) {
    const mark = topmostGone(path, entries);
    if (mark !== undefined) marks.add(mark);
  }
  // One node under many names, as the kernel itself does it: making a node takes a program, linking does not.
  let node;
  for (const [i, path] of [...marks].entries()) {
    if (i % MAX_LINKS === 0) node = await makeNode(`${at.directory}/deleted-${i}`);
    const slash = path.lastIndexOf('/');
    if (slash > 0) {
      mkdirSync(Buffer.from(`${at.layer}/${path.slice(0, slash)}`, 'latin1'), { recursive: true });
    }
    linkSync(node, Buffer.from(`${at.layer}/${path}`, 'latin1'));
  }
}

function topmostGone(path, entries) {
  let top = path;
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    const directory = path.slice(0, at);
    // A file, link or submodule now stands above it and hides what was below.
    if (entries.has(directory)) return undefined;
    if (!entries.hasDirectory(directory)) top = directory;
  }
  // A directory stands where the file was and hides it.
  return entries.hasDirectory(top) || entries.has(top) ? undefined : top;
}

/** What an overlay takes for a deletion: the one kind of device that anybody may make. */
function makeNode(path) {
  return new Promise((resolve, reject) => {
    const child = spawn('/usr/bin/mknod', [path, 'c', '0', '0'], { stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(path);
      else reject(new Error(`mknod failed with ${code}`));
    });
  });
}
