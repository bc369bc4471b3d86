/**
 * Why a bundle was not imported: a closed list, each with the step that gives it. A refusal is an answer about the
 * bundle, not an error of this system; what is wrong with our own side is an AppError instead.
 */

export const IMPORT_REASONS = [
  /** More bytes than the limit. */
  'bundle_too_large',
  /** Not a version 2 bundle of exactly one prerequisite and one ref, or its header passes 4 KiB. */
  'bundle_header',
  /** The prerequisite is not the start commit. */
  'bundle_prerequisite',
  /** The ref is not the ticket's branch. */
  'bundle_ref',
  /** The head is the start commit itself: nothing was done. */
  'bundle_head_is_base',
  /** No version 2 pack follows the header. */
  'pack_preamble',
  /** The pack claims no objects, or more than the limit. */
  'pack_object_count',
  /** The pack's last 20 bytes are not its SHA-1: truncated, altered, or followed by other bytes. */
  'pack_checksum',
  /** `index-pack --strict` refused the pack or an object in it (names, modes, malformed objects). */
  'pack_refused',
  /** Reading the pack passed a limit on memory, processor time or size: a bomb. */
  'pack_over_limits',
  /** An object that the history needs is in neither the pack nor the source. */
  'missing_object',
  /** The pack holds an object that the history does not need. */
  'unreachable_object',
  /** The pack holds a kind of object that no change needs: a tag. */
  'object_kind',
  /** One object, or all together, pass the size limits. */
  'object_too_large',
  /** The ref does not name a commit. */
  'head_not_commit',
  /** A commit has more than one parent, or none, or the line does not end at the start commit, or is too long. */
  'history_merge',
  'history_root',
  'history_detached',
  'history_too_long',
  /** A commit object does not have the form that git writes. */
  'commit_malformed',
  /** A tree unfolds to far more paths than the start commit's. */
  'too_many_paths',
  /** More changed files than the limit. */
  'too_many_changes',
  /** A changed path is not valid UTF-8. */
  'path_not_utf8',
  /** The whole import did not end in its time, or its process died. May be the machine's fault: worth one more try. */
  'time_limit',
  'child_died',
] as const;
export type ImportReason = (typeof IMPORT_REASONS)[number];

/** Reasons that a busy machine can cause too; a caller tries once more before it takes them for an answer. */
export const INCONCLUSIVE_REASONS: ReadonlySet<ImportReason> = new Set([
  'time_limit',
  'child_died',
]);

/** Thrown by the steps of the import when the bundle is to be refused. */
export class BundleRefused extends Error {
  override readonly name = 'BundleRefused';
  readonly reason: ImportReason;

  constructor(reason: ImportReason, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.reason = reason;
  }
}
