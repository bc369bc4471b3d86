/**
 * Makes the bare git directories that collectors use: written file by file, so that two collectors may do it at once and
 * neither a template nor a hook can come in. Attributes are switched off where nothing in a tree can switch them on again.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';

export const MIRROR = '/c/mirror';
export const RUN = '/c/run';
export const STORE = `${RUN}/store.git`;
export const HISTORY = `${RUN}/history.git`;
/** A step's layer over its tree, as the step saw both. */
export const MERGED = '/c/merged';
/** What an environment's commands made, for whoever takes it in or lays it out as copies. */
export const ENVIRONMENT_LAYER = '/c/environment/layer';
/** Where an agent's sandbox finds the history of its start commit. */
export const HISTORY_IN_STEP = '/history';

// info/attributes stands above every .gitattributes: bytes leave and enter as they are, whatever the tree says.
const NO_ATTRIBUTES = '* -text !eol -crlf -ident -filter !working-tree-encoding !diff !merge\n';
const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n';

/** Makes a bare git directory unless it is there; `alternates` is the object directory that it borrows from. */
export function ensureStore(directory, alternates) {
  for (const sub of ['objects/pack', 'objects/info', 'refs/heads', 'refs/tags', 'info']) {
    mkdirSync(`${directory}/${sub}`, { recursive: true });
  }
  writeNew(`${directory}/HEAD`, 'ref: refs/heads/none\n');
  writeNew(`${directory}/config`, CONFIG);
  writeNew(`${directory}/info/attributes`, NO_ATTRIBUTES);
  if (alternates !== undefined) writeNew(`${directory}/objects/info/alternates`, `${alternates}\n`);
}

/** Writes a file unless it exists. */
export function writeNew(path, content) {
  try {
    writeFileSync(path, content, { flag: 'wx' });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** The names in a directory; none when there is no such directory. */
export function namesIn(directory) {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
