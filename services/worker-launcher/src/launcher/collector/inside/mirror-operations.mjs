/**
 * The mirror of a repository: objects, and the commits at which its history was cut off. Both only ever grow, so that
 * extending it twice, or by two collectors at once, ends in the same mirror.
 */
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { ensureStore, MIRROR, namesIn, writeNew } from './stores.mjs';

const BOUNDARY = `${MIRROR}/boundary`;
const STALE_MS = 60 * 60 * 1000;

/** Adds a pack, streamed in, and its boundary commits. */
export async function extendMirror({ git, params, input }) {
  ensureStore(MIRROR);
  mkdirSync(BOUNDARY, { recursive: true });
  removeLeftovers(`${MIRROR}/objects/pack`);
  await git.output(['index-pack', '--stdin', '--fix-thin', `--max-input-size=${params.maxBytes}`], {
    gitDir: MIRROR,
    input,
    problem: 'bad_pack',
  });
  for (const oid of params.shallow) writeNew(`${BOUNDARY}/${oid}`, '');
  return {};
}

/** The boundary commits whose parents are still missing, one a line: what git calls a shallow file. */
export async function readBoundary(git, gitDir) {
  const marked = namesIn(BOUNDARY).filter((name) => /^[0-9a-f]{40}$/.test(name));
  if (marked.length === 0) return [];
  const parents = await readParents(git, gitDir, marked);
  const all = [...parents.values()].flat();
  const missing = new Set(await missingObjects(git, gitDir, all));
  return marked.filter((oid) => parents.get(oid)?.some((p) => missing.has(p)) === true);
}

async function readParents(git, gitDir, commits) {
  const bytes = await git.output(['cat-file', '--batch'], {
    gitDir,
    input: `${commits.join('\n')}\n`,
  });
  const parents = new Map();
  for (let at = 0; at < bytes.length;) {
    const lineEnd = bytes.indexOf(10, at);
    const [oid, type, size] = bytes.toString('latin1', at, lineEnd).split(' ');
    at = lineEnd + 1;
    if (type === 'missing') continue;
    const text = bytes.toString('latin1', at, at + Number(size));
    at += Number(size) + 1;
    if (type !== 'commit') continue;
    const head = text.slice(0, text.indexOf('\n\n') + 1);
    parents.set(
      oid,
      [...head.matchAll(/^parent ([0-9a-f]{40})$/gm)].map((m) => m[1]),
    );
  }
  return parents;
}

async function missingObjects(git, gitDir, oids) {
  if (oids.length === 0) return [];
  const text = await git.output(['cat-file', '--batch-check'], {
    gitDir,
    input: `${oids.join('\n')}\n`,
  });
  return [...text.toString('latin1').matchAll(/^([0-9a-f]{40}) missing$/gm)].map((m) => m[1]);
}

function removeLeftovers(directory) {
  for (const name of namesIn(directory)) {
    // Left by a collector that was killed. A young one may belong to a collector at work.
    if (!name.startsWith('tmp_')) continue;
    const path = `${directory}/${name}`;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && Date.now() - found.mtimeMs > STALE_MS) rmSync(path, { force: true });
  }
}
