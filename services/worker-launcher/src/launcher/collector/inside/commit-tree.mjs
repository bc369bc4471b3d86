/**
 * The commit of a tree upon the start commit. Its identity and date are fixed: the same tree is the same commit wherever
 * and whenever it is made. The publisher makes a commit of its own.
 */
import { STORE } from './stores.mjs';

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Sallyport',
  GIT_AUTHOR_EMAIL: 'sallyport@localhost',
  GIT_AUTHOR_DATE: '1000000000 +0000',
  GIT_COMMITTER_NAME: 'Sallyport',
  GIT_COMMITTER_EMAIL: 'sallyport@localhost',
  GIT_COMMITTER_DATE: '1000000000 +0000',
};

/** Makes the commit in the run's store and gives its object name. */
export async function commitTree(git, tree, start) {
  const bytes = await git.output(['commit-tree', tree, '-p', start], {
    gitDir: STORE,
    env: IDENTITY,
    input: 'Work of one run\n',
  });
  return bytes.toString('latin1').trim();
}
