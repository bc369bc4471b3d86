/**
 * The one program of a collector: reads a request with a list of operations, performs them in order, answers each. All
 * git of the launcher runs below this program, in a sandbox with no agent and no network.
 */
import { createFrameReader, createFrameWriter } from './frames.mjs';
import { createGit } from './git.mjs';
import { layOutTree } from './layered-tree.mjs';
import { materialize } from './materialize.mjs';
import { extendMirror } from './mirror-operations.mjs';
import { loadPack, writePack, writePatch } from './pack-operations.mjs';
import { Problem } from './problem.mjs';
import { readFiles } from './read-files.mjs';
import { prepareRun } from './run-operations.mjs';
import { takeEnvironment } from './take-environment.mjs';
import { takeTree } from './take-tree.mjs';

const OPERATIONS = {
  extend_mirror: extendMirror,
  prepare_run: prepareRun,
  materialize,
  lay_out_tree: layOutTree,
  take_tree: takeTree,
  read_files: readFiles,
  take_environment: takeEnvironment,
  write_pack: writePack,
  write_patch: writePatch,
  load_pack: loadPack,
};

const reader = createFrameReader(process.stdin);
const output = createFrameWriter(process.stdout);
const first = await reader.next();
if (first === undefined || first.kind !== 'J') throw new Error('the request is missing');
const request = JSON.parse(first.content.toString('utf8'));
const git = createGit(request.git);

for (const { name, params, hasInput } of request.operations) {
  const operation = OPERATIONS[name];
  if (operation === undefined) throw new Error(`unknown operation ${name}`);
  try {
    const input = hasInput ? reader.data() : undefined;
    const result = await operation({ git, params, input, output });
    await output.message({ name, ok: true, result });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    await output.message({ name, ok: false, problem: error.problem, message: error.message });
    break;
  }
}
// What was not read of the input would keep this program alive.
process.stdin.destroy();
