/**
 * Builds the change that the rules judge from the facts of an import: modes, names and sizes as git has them, contents by
 * object name. What was not handed over is marked as such, so that a rule refuses it instead of passing it unread.
 */
import type { Change, ChangeSet, ChangeStatus, ContentState } from './change.ts';
import { ChangeSetSchema } from './change.ts';
import { decodeBlob } from './decode-blob.ts';
import type { DecodedBlob } from './decode-blob.ts';

const ZERO_OID = '0'.repeat(40);
const BLOB_MODE = /^10|^12/;

/** One changed path as an import reports it; oids and sizes are null where a side is absent or no blob. */
export interface ChangedPath {
  path: string;
  status: ChangeStatus;
  oldMode: string;
  newMode: string;
  oldOid: string | null;
  newOid: string | null;
  oldSize: number | null;
  newSize: number | null;
}

export interface FactsOfImport {
  base: string;
  headOid: string;
  commits: readonly { oid: string; parent: string; changes: readonly ChangedPath[] }[];
  changes: readonly ChangedPath[];
}

/**
 * The change set of an import. `contents` maps object names to bytes and lacks those beyond the reader's caps; `basePaths`
 * is every path of the base tree, or null when it was not read (new files are held then).
 * @throws ZodError when the facts are not of the expected form.
 */
export function changeSetFromFacts(
  facts: FactsOfImport,
  contents: ReadonlyMap<string, Uint8Array>,
  basePaths: readonly string[] | null,
): ChangeSet {
  const decoded = new Map<string, DecodedBlob>();
  const read = (oid: string): DecodedBlob | null => {
    const known = decoded.get(oid);
    if (known !== undefined) return known;
    const bytes = contents.get(oid);
    if (bytes === undefined) return null;
    const blob = decodeBlob(bytes);
    decoded.set(oid, blob);
    return blob;
  };
  return ChangeSetSchema.parse({
    base: facts.base,
    head: facts.headOid,
    changes: facts.changes.map((change) => toChange(change, read)),
    commits: facts.commits.map(({ oid, parent, changes }) => ({
      oid,
      parents: [parent],
      commitChanges: changes.map((change) => toChange(change, read)),
    })),
    basePaths,
  });
}

type Read = (oid: string) => DecodedBlob | null;

function toChange(change: ChangedPath, read: Read): Change {
  const before = side(change.oldMode, change.oldOid, read);
  const after = side(change.newMode, change.newOid, read);
  return {
    path: change.path,
    status: change.status,
    oldMode: change.oldMode,
    newMode: change.newMode,
    oldOid: change.oldOid ?? ZERO_OID,
    newOid: change.newOid ?? ZERO_OID,
    oldSize: change.oldSize ?? 0,
    newSize: change.newSize ?? 0,
    oldContent: before.content,
    newContent: after.content,
    oldText: before.text,
    newText: after.text,
    oldBinary: before.content === 'binary',
    newBinary: after.content === 'binary',
  };
}

function side(
  mode: string,
  oid: string | null,
  read: Read,
): { content: ContentState; text: string | null } {
  if (oid === null) return { content: 'absent', text: null };
  if (!BLOB_MODE.test(mode)) return { content: 'not_a_blob', text: null };
  return read(oid) ?? { content: 'over_cap', text: null };
}
