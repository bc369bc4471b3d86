/**
 * Work as bytes: the objects of a commit that its start commit does not have, streamed out, and such a pack taken in
 * again on another host.
 */
import { Problem } from './problem.mjs';
import { STORE } from './stores.mjs';

/** Streams the pack of `params.commit` against `params.start`. */
export async function writePack({ git, params, output }) {
  const args = ['pack-objects', '-q', '--stdout', '--revs', '--thin', '--delta-base-offset'];
  return streamOut(git, args, `${params.commit}\n^${params.start}\n`, params.maxBytes, output);
}

/** Streams the change between two trees as a patch for an agent to read. */
export async function writePatch({ git, params, output }) {
  const args = [
    'diff-tree',
    '-r',
    '-p',
    '--full-index',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
  ];
  args.push('--ignore-submodules=none', '--end-of-options', params.from, params.to);
  return streamOut(git, args, '', params.maxBytes, output);
}

/** Takes a pack in that `writePack` made for this start commit. */
export async function loadPack({ git, params, input }) {
  await git.output(['index-pack', '--stdin', '--fix-thin', `--max-input-size=${params.maxBytes}`], {
    gitDir: STORE,
    input,
    problem: 'bad_pack',
  });
  // Walks all new objects: what was stored may have been stored incompletely.
  await git.output(['rev-list', '--objects', '--quiet', params.commit, `^${params.start}`], {
    gitDir: STORE,
    problem: 'bad_pack',
  });
  return {};
}

async function streamOut(git, args, input, maxBytes, output) {
  let bytes = 0;
  const end = await git.stream(args, { gitDir: STORE, input }, async (piece) => {
    bytes += piece.length;
    if (bytes > maxBytes)
      throw new Problem('too_large', `git ${args[0]} made more than ${maxBytes} bytes`);
    await output.data(piece);
  });
  if (end.code !== 0)
    throw new Problem('git_failed', `git ${args[0]} failed with ${end.code}: ${end.words}`);
  await output.end();
  return { bytes };
}
