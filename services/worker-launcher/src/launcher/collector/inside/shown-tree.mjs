/**
 * The tree that a step is shown: the given one, with every path that steers agents as the base commit has it, or left out
 * where it has none. What an earlier step wrote there stays in the tree that goes on, where it is judged, and steers nobody.
 */
import { diffTrees, showPath } from './read-diff.mjs';
import { STORE } from './stores.mjs';

const SHOWN_INDEX = '/tmp/shown-index';
const MODE_LINK = '120000';
// git knows it without having it: what is shown when the base commit itself is not here.
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const MAX_NAMED = 50;

/**
 * Makes the shown tree of `given`. `configuration` is `{ from, pattern, atTop }`: the base commit, the source of the
 * expression that matches such paths, and the paths as they stand at the top.
 * @returns {Promise<{ tree: string, withheldCount: number, withheld: string[] }>} and which paths are not as given
 */
export async function showTree(git, configuration, given) {
  const base = await baseTree(git, configuration.from);
  if (base === given) return { tree: given, withheldCount: 0, withheld: [] };
  const isConfiguration = await createMatch(git, configuration, base);
  const { lines, paths } = await readDifference(git, given, base, isConfiguration);
  if (lines.length === 0) return { tree: given, withheldCount: 0, withheld: [] };
  const options = { gitDir: STORE, env: { GIT_INDEX_FILE: SHOWN_INDEX } };
  await git.output(['read-tree', given], options);
  await git.output(['update-index', '-z', '--index-info'], {
    ...options,
    input: Buffer.from(lines.join(''), 'latin1'),
  });
  const tree = (await git.output(['write-tree'], options)).toString('latin1').trim();
  return {
    tree,
    withheldCount: paths.length,
    withheld: paths.slice(0, MAX_NAMED).map(showPath),
  };
}

async function baseTree(git, commit) {
  const pieces = [];
  const found = await git.stream(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{tree}`],
    { gitDir: STORE },
    (piece) => {
      pieces.push(piece);
    },
  );
  return found.code === 0 ? Buffer.concat(pieces).toString('latin1').trim() : EMPTY_TREE;
}

/** Where the base has a link in such a place, what it leads to steers agents as well. */
async function createMatch(git, { pattern, atTop }, base) {
  const expression = new RegExp(pattern);
  const targets = await linkTargets(git, expression, base);
  const above = directoriesAbove(atTop);
  return (path, mode) =>
    expression.test(path) ||
    // A link where the directory belongs leads to such paths under names that nobody knows.
    (mode === MODE_LINK && above.some((at) => path === at || path.endsWith(`/${at}`))) ||
    targets.some((target) => path === target || path.startsWith(`${target}/`));
}

/** `.github` of `.github/hooks`. */
function directoriesAbove(atTop) {
  return [...new Set(atTop.flatMap((path) => parentsOf(path)))];
}

async function linkTargets(git, expression, base) {
  const listed = await git.output(['ls-tree', '-r', '-z', '--full-tree', base], { gitDir: STORE });
  const targets = [];
  for (const row of listed.toString('latin1').split('\0')) {
    const tab = row.indexOf('\t');
    const [mode, , oid] = row.slice(0, tab).split(' ');
    const path = row.slice(tab + 1);
    if (mode !== MODE_LINK || !expression.test(path)) continue;
    const target = (await git.output(['cat-file', 'blob', oid], { gitDir: STORE })).toString(
      'latin1',
    );
    const resolved = resolve(path, target);
    if (resolved !== undefined) targets.push(resolved);
  }
  return targets;
}

/** The path in the tree that a relative link means; undefined when it leads out of the tree or to its top. */
function resolve(link, target) {
  if (target.startsWith('/')) return undefined;
  const parts = link.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? undefined : parts.join('/');
}

/** What makes the given tree show the base's configuration: removals first, a file may stand where a directory stood. */
async function readDifference(git, given, base, isConfiguration) {
  const removals = [];
  const additions = [];
  const paths = [];
  /** Files that the given tree keeps and the base does not have: nothing can be shown below them. */
  const kept = new Set();
  for (const { path, status, oldMode, newMode, newOid } of await diffTrees(git, given, base)) {
    if (!isConfiguration(path, oldMode)) {
      if (status === 'D') kept.add(path);
      continue;
    }
    paths.push(path);
    if (status === 'D') removals.push(`0 ${'0'.repeat(40)}\t${path}\0`);
    else additions.push({ path, line: `${newMode} ${newOid}\t${path}\0` });
  }
  const shown = additions.filter(({ path }) => !parentsOf(path).some((parent) => kept.has(parent)));
  return { lines: [...removals, ...shown.map(({ line }) => line)], paths };
}

function parentsOf(path) {
  const parents = [];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    parents.push(path.slice(0, at));
  }
  return parents;
}
