/**
 * Parses `diff-tree -r -z --raw --no-renames` strictly: whatever does not have exactly the expected form is refused, since
 * a path that is misread is a path that is not judged.
 */
import { BundleRefused } from './import-reasons.ts';
import { ZERO_OID } from './oid.ts';
import { quoteForLog } from './quote-for-log.ts';

export const CHANGE_STATUSES = ['added', 'modified', 'deleted', 'type_changed'] as const;
export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

/** One changed path. Modes are six octal digits, `000000` on the side that does not exist; oids null there. */
export interface RawChange {
  path: string;
  status: ChangeStatus;
  oldMode: string;
  newMode: string;
  oldOid: string | null;
  newOid: string | null;
}

/** The arguments between `diff-tree` and the two object names. */
export const DIFF_TREE_ARGUMENTS: readonly string[] = [
  '-r',
  '-z',
  '--raw',
  '--full-index',
  '--no-abbrev',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=none',
];

const ENTRY = /^:([0-7]{6}) ([0-7]{6}) ([0-9a-f]{40}) ([0-9a-f]{40}) ([AMDT])$/;
const STATUS: Readonly<Record<string, ChangeStatus>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  T: 'type_changed',
};

/**
 * The changes in the order of git (bytes of the path).
 * @throws BundleRefused `path_not_utf8`, `too_many_changes`; Error when the output is not that of git.
 */
export function parseRawDiff(output: Uint8Array, maxChanges: number): RawChange[] {
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  const changes: RawChange[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const entryEnd = bytes.indexOf(0, offset);
    const pathEnd = entryEnd === -1 ? -1 : bytes.indexOf(0, entryEnd + 1);
    if (pathEnd === -1) throw new Error('reading a raw diff: it ends within an entry');
    if (changes.length === maxChanges) {
      throw new BundleRefused('too_many_changes', `more than ${maxChanges} files changed`);
    }
    const entry = bytes.toString('latin1', offset, entryEnd);
    changes.push(parseEntry(entry, decodePath(bytes.subarray(entryEnd + 1, pathEnd))));
    offset = pathEnd + 1;
  }
  return changes;
}

function parseEntry(entry: string, path: string): RawChange {
  const match = ENTRY.exec(entry);
  const [, oldMode = '', newMode = '', oldOid = '', newOid = '', letter = ''] = match ?? [];
  const status = STATUS[letter];
  if (status === undefined || path === '') throw new Error('reading a raw diff: unknown entry');
  if ((oldOid === ZERO_OID) !== (status === 'added')) {
    throw new Error('reading a raw diff: status and old side differ');
  }
  if ((newOid === ZERO_OID) !== (status === 'deleted')) {
    throw new Error('reading a raw diff: status and new side differ');
  }
  return {
    path,
    status,
    oldMode,
    newMode,
    oldOid: oldOid === ZERO_OID ? null : oldOid,
    newOid: newOid === ZERO_OID ? null : newOid,
  };
}

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodePath(bytes: Uint8Array): string {
  try {
    return STRICT_UTF8.decode(bytes);
  } catch {
    throw new BundleRefused('path_not_utf8', `a path is not UTF-8: ${quoteForLog(bytes, 200)}`);
  }
}
