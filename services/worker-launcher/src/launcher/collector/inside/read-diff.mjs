/** Says what differs between two trees: each path with its status and, for people, its lines where they can be counted. */
import { STORE } from './stores.mjs';

const COUNT_TIMEOUT_MS = 10_000;
const BASE = [
  '-r',
  '-z',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=none',
];

/** The changes from one tree to another, sorted by path as git sorts. */
export async function readDiff(git, from, to) {
  const differences = await diffTrees(git, from, to);
  const lines = await countLines(git, from, to);
  const changes = differences.map(({ path, status, oldMode, newMode }) => ({
    path: showPath(path),
    status,
    oldMode,
    newMode,
    ...(lines?.get(path) ?? { added: null, removed: null }),
  }));
  return { changes, linesCounted: lines !== undefined };
}

/** What differs, in the same order. A path is its bytes, one character each; modes are as git prints them. */
export async function diffTrees(git, from, to) {
  const raw = await git.output(
    ['diff-tree', ...BASE, '--raw', '--no-abbrev', '--end-of-options', from, to],
    { gitDir: STORE },
  );
  const fields = raw.toString('latin1').split('\0');
  const differences = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [oldMode, newMode, , newOid, status] = fields[i].slice(1).split(' ');
    differences.push({ path: fields[i + 1], status, oldMode, newMode, newOid });
  }
  return differences;
}

/** A path for people and JSON: UTF-8 as it is, any other byte as \xNN. */
export function showPath(path) {
  const bytes = Buffer.from(path, 'latin1');
  const text = bytes.toString('utf8');
  if (Buffer.from(text, 'utf8').equals(bytes)) return text;
  return path.replace(/[\u0080-\u00ff]/g, (c) => `\\x${c.charCodeAt(0).toString(16)}`);
}

async function countLines(git, from, to) {
  const pieces = [];
  // Files can be made for which comparing lines takes for ever; the tree must not be lost over a number.
  const end = await git.stream(
    ['diff-tree', ...BASE, '--numstat', '--end-of-options', from, to],
    { gitDir: STORE, timeoutMs: COUNT_TIMEOUT_MS },
    (piece) => {
      pieces.push(piece);
    },
  );
  if (end.code !== 0) return undefined;
  const lines = new Map();
  for (const row of Buffer.concat(pieces).toString('latin1').split('\0')) {
    const found = /^(\d+|-)\t(\d+|-)\t([\s\S]+)$/.exec(row);
    // git prints dashes for what is not text.
    if (found !== null)
      lines.set(found[3], { added: toCount(found[1]), removed: toCount(found[2]) });
  }
  return lines;
}

function toCount(text) {
  return text === '-' ? null : Number(text);
}
