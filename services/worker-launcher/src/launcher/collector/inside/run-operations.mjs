/**
 * What a run begins with: a store of its own that borrows the mirror's objects, and a copy of the start commit's history
 * that agents may be shown. An agent never sees the mirror, which holds other branches as well.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { readBoundary } from './mirror-operations.mjs';
import { Problem } from './problem.mjs';
import { ensureStore, HISTORY, MIRROR, STORE } from './stores.mjs';

/** Prepares the run directory for `params.start`; done twice it changes nothing. */
export async function prepareRun({ git, params }) {
  ensureStore(STORE, `${MIRROR}/objects`);
  const type = await git
    .output(['cat-file', '-t', params.start], { gitDir: STORE })
    .catch(() => Buffer.from('missing'));
  if (type.toString().trim() !== 'commit') {
    throw new Problem('source_incomplete', `the start commit ${params.start} is not in the mirror`);
  }
  const boundary = await readBoundary(git, STORE);
  if (boundary.length > 0) writeFileSync(`${STORE}/shallow`, `${boundary.join('\n')}\n`);
  await copyHistory(git, params.start, new Set(boundary));
  return { tree: await treeOf(git, params.start) };
}

/** The tree of a commit, or the tree itself. */
export async function treeOf(git, oid) {
  const bytes = await git.output(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${oid}^{tree}`],
    {
      gitDir: STORE,
      problem: 'source_incomplete',
    },
  );
  return bytes.toString('latin1').trim();
}

async function copyHistory(git, start, boundary) {
  const marker = `${HISTORY}/complete-${start}`;
  if (existsSync(marker)) return;
  rmSync(HISTORY, { recursive: true, force: true });
  ensureStore(HISTORY);
  // Reads every object that it copies, and so proves that the source is complete.
  await git.output(
    ['pack-objects', '-q', '--revs', '--delta-base-offset', `${HISTORY}/objects/pack/pack`],
    {
      gitDir: STORE,
      input: `${start}\n`,
      problem: 'source_incomplete',
    },
  );
  const commits = await git.output(['rev-list', start], { gitDir: STORE });
  const cut = commits
    .toString('latin1')
    .split('\n')
    .filter((oid) => boundary.has(oid));
  if (cut.length > 0) writeFileSync(`${HISTORY}/shallow`, `${cut.join('\n')}\n`);
  writeFileSync(marker, '');
}
