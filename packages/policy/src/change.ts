/**
 * The change that a verdict is about: what a raw diff of two trees says, with the contents already read and decoded.
 * It is parsed here because it crosses a process border: the process that reads hostile objects is not the one that decides.
 */
import { z } from 'zod';

const MIB = 1024 * 1024;

/** The mode that git's raw diff writes for a side that does not exist. */
export const ABSENT_MODE = '000000';

export const CHANGE_STATUSES = ['added', 'modified', 'deleted', 'type_changed'] as const;
export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

/** Why a side has text or has none: `text` alone means that the whole content is in hand. */
export const CONTENT_STATES = ['text', 'binary', 'over_cap', 'not_a_blob', 'absent'] as const;
export type ContentState = (typeof CONTENT_STATES)[number];

const oid = z.string().regex(/^[0-9a-f]{40}$/);
const mode = z.string().regex(/^[0-7]{6}$/);
const size = z.int().nonnegative();
const text = z
  .string()
  .max(8 * MIB)
  .nullable();

export const ChangeSchema = z
  .strictObject({
    /** As git has it, decoded as UTF-8; bytes that are none appear as U+FFFD, which the name rule refuses. */
    path: z.string().min(1).max(65_536),
    status: z.enum(CHANGE_STATUSES),
    /** Six octal digits; `000000` for a side that does not exist. */
    oldMode: mode,
    newMode: mode,
    /** Forty zeros for a side that does not exist. */
    oldOid: oid,
    newOid: oid,
    /** Bytes of the blob; 0 for a side that is absent or no blob. */
    oldSize: size,
    newSize: size,
    oldContent: z.enum(CONTENT_STATES),
    newContent: z.enum(CONTENT_STATES),
    oldText: text,
    newText: text,
    oldBinary: z.boolean(),
    newBinary: z.boolean(),
  })
  .refine((change) => sideAgrees(change.oldContent, change.oldText, change.oldBinary), {
    message:
      'oldText must be there exactly when oldContent is text, and oldBinary when it is binary',
  })
  .refine((change) => sideAgrees(change.newContent, change.newText, change.newBinary), {
    message:
      'newText must be there exactly when newContent is text, and newBinary when it is binary',
  });
export type Change = z.infer<typeof ChangeSchema>;

const CommitSchema = z.strictObject({
  oid,
  parents: z.array(oid).max(64),
  /** The raw diff of this commit against its first parent. */
  commitChanges: z.array(ChangeSchema).max(20_000),
});
export type Commit = z.infer<typeof CommitSchema>;

export const ChangeSetSchema = z.strictObject({
  base: oid,
  head: oid,
  /** Oldest first; each commit between base and head. */
  commits: z.array(CommitSchema).max(1_000),
  changes: z.array(ChangeSchema).max(20_000),
  /** Every path of the base tree, for collisions; null when the reader has no list, and then new names are held. */
  basePaths: z.array(z.string()).max(2_000_000).nullable(),
});
export type ChangeSet = z.infer<typeof ChangeSetSchema>;

function sideAgrees(state: ContentState, value: string | null, binary: boolean): boolean {
  return (state === 'text') === (value !== null) && (state === 'binary') === binary;
}

/** Whether the change leaves something at its path, as every status but a deletion does. */
export function hasNewSide(change: Change): boolean {
  return change.status !== 'deleted';
}
