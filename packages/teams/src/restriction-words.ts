/**
 * The words in which a read-only restriction is written, the same in team files, rows, logs and the command. They stand
 * apart because both the team's schema and the read-only rule speak them and neither should need the other.
 */

/** `reflex`: the edit tools and the listed commands are refused, the shell stays open. `noShell`: no shell either. */
export const READ_ONLY_LEVELS = ['reflex', 'noShell'] as const;
export type ReadOnlyLevel = (typeof READ_ONLY_LEVELS)[number];

/** What follows when a read-only step tried to change tracked files: nothing more, another attempt, or a failed step. */
export const WRITE_ATTEMPT_ACTIONS = ['note', 'rerun', 'fail'] as const;
export type WriteAttemptAction = (typeof WRITE_ATTEMPT_ACTIONS)[number];
