/**
 * Where the launcher keeps what collectors and steps work on. Ids become names of directories, so they are checked here
 * and nowhere joined by hand.
 */
import { join } from 'node:path';
import { AppError } from '@sallyport/shared/errors';

const NAME_PATTERN = /^[a-z0-9][a-z0-9-]{0,79}$/;

export interface StepDirectories {
  /** Everything of the step; removed as a whole. */
  directory: string;
  /** Where trees are copied: the worktree, with the agent's own `.git` in it. */
  tree: string;
  /** Where trees are shared: the step's own layer over its tree. */
  view: string;
  /** For the collector's look at that layer. */
  look: string;
  /** What the step may read: the prompt, the task, earlier hand-offs. Made by the caller. */
  in: string;
  /** Where the step leaves its hand-off. Made by the caller. */
  out: string;
}

/** The mirror of one repository, by GitHub's id for it. */
export function mirrorDirectory(stateRoot: string, repositoryId: number): string {
  return join(stateRoot, 'mirrors', checkName(String(repositoryId), 'repository id'));
}

/** Where the directories of all runs lie. */
export function runsDirectory(stateRoot: string): string {
  return join(stateRoot, 'runs');
}

/** The directory of one run: its store, the history its agents may see, its steps. */
export function runDirectory(stateRoot: string, runId: string): string {
  return join(runsDirectory(stateRoot), checkName(runId, 'run id'));
}

/** The history of the start commit, to be mounted read-only at HISTORY_TARGET in every step that has the tree. */
export function historyDirectory(run: string): string {
  return join(run, 'history.git');
}
export const HISTORY_TARGET = '/history';

/** The directories of one attempt at a step; `key` is unique in the run. */
export function stepDirectories(run: string, key: string): StepDirectories {
  const directory = join(run, 'steps', checkName(key, 'step key'));
  return {
    directory,
    tree: join(directory, 'tree'),
    view: join(directory, 'view'),
    look: join(directory, 'look'),
    in: join(directory, 'in'),
    out: join(directory, 'out'),
  };
}

/** Where the environments lie that were made on this host, in a directory for each repository. */
export function environmentsDirectory(stateRoot: string): string {
  return join(stateRoot, 'environments');
}

/** Those of one repository. */
export function repositoryEnvironments(stateRoot: string, repositoryId: number): string {
  return join(environmentsDirectory(stateRoot), checkName(String(repositoryId), 'repository id'));
}

/** One of them; what steps see of it lies in `layer`. */
export function environmentDirectory(
  stateRoot: string,
  repositoryId: number,
  name: string,
): string {
  return join(repositoryEnvironments(stateRoot, repositoryId), checkName(name, 'environment'));
}

/** The layers, topmost first, of a tree that was laid out for all steps of a run. */
export function treeLayers(run: string, tree: string, startTree: string): string[] {
  const own = join(run, 'trees', checkName(tree, 'tree'));
  const change = tree === startTree ? [] : [join(own, 'layer')];
  return [join(own, 'git'), ...change, join(run, 'trees', checkName(startTree, 'tree'), 'files')];
}

/** The git directory that agents are given with such a tree. */
export function treeGitDirectory(run: string, tree: string): string {
  return join(run, 'trees', checkName(tree, 'tree'), 'git', '.git');
}

function checkName(name: string, role: string): string {
  if (!NAME_PATTERN.test(name)) {
    throw new AppError(
      'bad_input',
      `${role} "${name}" cannot be the name of a directory (a-z, 0-9, "-", at most 80)`,
    );
  }
  return name;
}
