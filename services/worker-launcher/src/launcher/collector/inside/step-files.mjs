/** Where the files of one step lie, by its key; a key cannot lead out of the run's directory. */
import { RUN } from './stores.mjs';

const KEY_PATTERN = /^[a-z0-9][a-z0-9-]{0,79}$/;

export function stepFiles(key) {
  if (!KEY_PATTERN.test(key)) throw new Error(`"${key}" is not the key of a step`);
  const directory = `${RUN}/steps/${key}`;
  return {
    directory,
    tree: `${directory}/tree`,
    index: `${directory}/index`,
    /** When the environment was copied into the tree; not there when there was none. */
    environmentLaid: `${directory}/environment-laid`,
    upper: `${directory}/view/upper`,
  };
}
