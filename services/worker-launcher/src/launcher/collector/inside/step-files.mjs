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
    upper: `${directory}/view/upper`,
  };
}
