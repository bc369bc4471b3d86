/**
 * Answers which new paths are ignored by the rules of the tree that the step was given. The rules are laid out alone in
 * a place of their own, so that no rule which the agent wrote, changed or deleted has a say.
 */
import { mkdirSync } from 'node:fs';
import { STORE } from './stores.mjs';

const RULES = '/tmp/rules';

/**
 * Creates the question. `entries` is the given tree; `indexPath` its index.
 * @returns {(files: string[], directories: string[]) => Promise<Set<string>>} the ignored ones among these paths
 */
export function createIgnoreRules(git, entries, indexPath) {
  let laidOut = false;

  async function layOut() {
    laidOut = true;
    mkdirSync(RULES);
    const files = [];
    for (const path of entries.named('.gitignore')) {
      if ((entries.get(path).mode & 0o170000) === 0o100000) files.push(path);
    }
    if (files.length === 0) return;
    await git.output(['checkout-index', '--quiet', '-z', '--stdin'], {
      gitDir: STORE,
      cwd: RULES,
      env: { GIT_INDEX_FILE: indexPath, GIT_WORK_TREE: RULES },
      input: Buffer.from(files.map((f) => `${f}\0`).join(''), 'latin1'),
    });
  }

  return async function ignoredAmong(files, directories) {
    const paths = [...files, ...directories];
    if (paths.length === 0) return new Set();
    if (!laidOut) await layOut();
    // A rule that ends in a slash holds for directories alone, so git must find one there.
    for (const directory of directories) makeDirectory(directory);
    const end = [];
    const status = await git.stream(
      ['check-ignore', '-z', '--stdin', '--verbose', '--non-matching', '--no-index'],
      {
        gitDir: STORE,
        cwd: RULES,
        // This command knows no literal paths; "./" takes its meaning from a colon at the beginning.
        magicPaths: true,
        env: { GIT_WORK_TREE: RULES, GIT_LITERAL_PATHSPECS: '0' },
        input: Buffer.from(paths.map((p) => `./${p}\0`).join(''), 'latin1'),
      },
      (piece) => {
        end.push(piece);
      },
    );
    // 1 says that none of the paths is ignored.
    if (status.code !== 0 && status.code !== 1)
      throw new Error(`git check-ignore failed: ${status.words}`);
    return readAnswers(Buffer.concat(end).toString('latin1'));
  };
}

function makeDirectory(path) {
  try {
    mkdirSync(Buffer.from(`${RULES}/${path}`, 'latin1'), { recursive: true });
  } catch (error) {
    // The agent made a directory where the given tree has its rules; git then sees the file.
    if (error.code !== 'EEXIST' && error.code !== 'ENOTDIR') throw error;
  }
}

function readAnswers(text) {
  const ignored = new Set();
  const fields = text.split('\0');
  for (let i = 0; i + 3 < fields.length; i += 4) {
    const [source, , pattern, path] = fields.slice(i, i + 4);
    if (source !== '' && !pattern.startsWith('!')) ignored.add(path.slice(2));
  }
  return ignored;
}
