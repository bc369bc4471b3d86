/** Builds changes for tests: one call per file, with the object names, sizes and modes that follow from its texts. */
import { createHash } from 'node:crypto';
import { ABSENT_MODE } from '../change.ts';
import type { Change, ChangeSet } from '../change.ts';
import { DEFAULT_POLICY } from '../policy-config.ts';
import { withDiff } from '../rule.ts';
import type { RuleInput } from '../rule.ts';

const ZERO_OID = '0'.repeat(40);
export const BASE_OID = 'b'.repeat(40);
export const HEAD_OID = 'e'.repeat(40);

/** An object name that follows from its text, as git's do. */
export function oidOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

/** A change of a text file from one text to another; null stands for a side that is absent. */
export function makeChange(
  path: string,
  oldText: string | null,
  newText: string | null,
  over: Partial<Change> = {},
): Change {
  return {
    path,
    status: oldText === null ? 'added' : newText === null ? 'deleted' : 'modified',
    oldMode: oldText === null ? ABSENT_MODE : '100644',
    newMode: newText === null ? ABSENT_MODE : '100644',
    oldOid: oldText === null ? ZERO_OID : oidOf(oldText),
    newOid: newText === null ? ZERO_OID : oidOf(newText),
    oldSize: Buffer.byteLength(oldText ?? ''),
    newSize: Buffer.byteLength(newText ?? ''),
    oldContent: oldText === null ? 'absent' : 'text',
    newContent: newText === null ? 'absent' : 'text',
    oldText,
    newText,
    oldBinary: false,
    newBinary: false,
    ...over,
  };
}

/** A change set of one commit that holds all changes. */
export function makeSet(changes: Change[], over: Partial<ChangeSet> = {}): ChangeSet {
  return {
    base: BASE_OID,
    head: HEAD_OID,
    commits: [{ oid: HEAD_OID, parents: [BASE_OID], commitChanges: changes }],
    changes,
    basePaths: [],
    ...over,
  };
}

/** What a rule is asked about these changes under the default policy. */
export function makeInput(changes: Change[], over: Partial<RuleInput> = {}): RuleInput {
  return {
    set: makeSet(changes),
    files: changes.map(withDiff),
    config: DEFAULT_POLICY,
    canaries: [],
    scope: { paths: [] },
    ...over,
  };
}
