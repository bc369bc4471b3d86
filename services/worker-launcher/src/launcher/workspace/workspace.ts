/**
 * The border to the directories that sandboxes work on. Whoever starts sandboxes need not own their files: behind an
 * engine's guard the directories are the guard's, so that a launcher which was taken over cannot put a link in their way.
 */

/** What became of reading a file; an agent may have put anything in its place. */
export type WorkspaceRead =
  | { kind: 'read'; bytes: Buffer }
  | { kind: 'missing' | 'not_a_plain_file' | 'too_large' };

/** Paths are absolute and lie below the launcher's state directory, as `layout.ts` names them. */
export interface Workspace {
  /** Makes a directory and those above it; one that is there is fine. */
  makeDirectory(path: string): Promise<void>;
  /** Writes a file below a step's `in` for the step to read, in place of one before it; directories above are made. */
  writeFile(path: string, content: string | Uint8Array): Promise<void>;
  /** Reads what a step left: a plain file with a single name and at most `maxBytes`; follows no link, waits for no pipe. */
  readFile(path: string, maxBytes: number): Promise<WorkspaceRead>;
  /** Makes the layer of a step whose sandbox has ended fit to be looked at, whatever permissions the agent gave its root. */
  openLayer(path: string): Promise<void>;
  /**
   * Removes a directory or file with all in it and follows no link; what is not there is gone already.
   * @throws AppError `internal` when something is left.
   */
  remove(path: string): Promise<void>;
  /** The names in a directory, in no order; none when it is not there. */
  list(path: string): Promise<string[]>;
}
