/**
 * Reads files of a commit out of the run's store. A path is looked up in trees alone, so that a link in it leads nowhere.
 */
import { createHash } from 'node:crypto';
import { Problem } from './problem.mjs';
import { treeOf } from './run-operations.mjs';
import { STORE } from './stores.mjs';

const FILE_MODES = new Set(['100644', '100755']);

/** Reads the files at `params.paths` in `params.commit`, their bytes too with `params.content`. */
export async function readFiles({ git, params }) {
  const tree = await treeOf(git, params.commit);
  const files = [];
  let bytes = 0;
  for (const path of params.paths) {
    const entry = await entryAt(git, tree, path);
    if (entry === undefined) files.push({ kind: 'missing', path });
    else if (!FILE_MODES.has(entry.mode)) files.push({ kind: 'no_file', path });
    else {
      bytes += await sizeOf(git, entry.oid);
      if (bytes > params.maxBytes) {
        throw new Problem('too_large', `${path}: more than ${params.maxBytes} bytes are not read`);
      }
      const content = await git.output(['cat-file', 'blob', entry.oid], { gitDir: STORE });
      files.push({
        kind: 'file',
        path,
        sha256: createHash('sha256').update(content).digest('hex'),
        base64: params.content ? content.toString('base64') : null,
      });
    }
  }
  return { tree, files };
}

async function entryAt(git, tree, path) {
  const listed = await git.output(['ls-tree', '-z', '--full-tree', tree, '--', path], {
    gitDir: STORE,
  });
  for (const line of listed.toString('utf8').split('\0')) {
    const [, mode, oid, name] = /^(\d{6}) \w+ ([0-9a-f]{40})\t([^]*)$/.exec(line) ?? [];
    if (name === path) return { mode, oid };
  }
  return undefined;
}

async function sizeOf(git, oid) {
  const printed = await git.output(['cat-file', '-s', oid], { gitDir: STORE });
  return Number(printed.toString('latin1'));
}
