/**
 * The commands that a read-only step is refused by name: those that exist only to change files, and the git subcommands
 * that write to the index, the tree, refs or a remote. Adapters put them into the form that their CLI understands.
 */

export const GIT_WRITE_SUBCOMMANDS = [
  'add',
  'commit',
  'push',
  'merge',
  'rebase',
  'reset',
  'checkout',
  'switch',
  'restore',
  'stash',
  'cherry-pick',
  'revert',
  'apply',
  'am',
  'rm',
  'mv',
  'clean',
  'tag',
  'worktree',
] as const;

export const FILE_WRITE_COMMANDS = [
  'rm',
  'mv',
  'cp',
  'tee',
  'touch',
  'mkdir',
  'chmod',
  'chown',
  'ln',
  'truncate',
  'dd',
] as const;

/** All of them as the words that begin such a command, `sed -i` last. */
export const WRITE_COMMANDS: readonly string[] = [
  ...GIT_WRITE_SUBCOMMANDS.map((sub) => `git ${sub}`),
  ...FILE_WRITE_COMMANDS,
  'sed -i',
];
