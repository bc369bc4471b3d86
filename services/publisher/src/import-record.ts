/**
 * What the importer hands to the publisher about one bundle, as JSON: the facts, the contents that rules must see, and the
 * paths of the base. Checked again when it is read, since another process wrote it.
 */
import { checkFacts } from '@sallyport/git/check-facts';
import type { ImportFacts } from '@sallyport/git/import-facts';
import { AppError } from '@sallyport/shared/errors';
import { createHash } from 'node:crypto';
import { z } from 'zod';

export interface ImportRecord {
  facts: ImportFacts;
  /** Bytes by object name; blobs beyond the caps are absent. */
  contents: ReadonlyMap<string, Uint8Array>;
  /** Every path of the start commit, or null when there are too many to hand over. */
  basePaths: readonly string[] | null;
}

const MAX_BASE_PATH_BYTES = 8 * 1024 * 1024;

const RecordSchema = z.strictObject({
  v: z.literal(1),
  facts: z.unknown(),
  contents: z.record(z.string().regex(/^[0-9a-f]{40}$/), z.base64()),
  basePaths: z.array(z.string()).nullable(),
});

/** The bytes of a record. Base paths that would fill the artifact are left out; the policy then holds new files. */
export function encodeImportRecord(record: ImportRecord): Buffer {
  const paths = record.basePaths;
  const pathBytes = paths?.reduce((sum, path) => sum + Buffer.byteLength(path), 0) ?? 0;
  const contents = Object.fromEntries(
    [...record.contents].map(([oid, bytes]) => [oid, Buffer.from(bytes).toString('base64')]),
  );
  const basePaths = pathBytes > MAX_BASE_PATH_BYTES ? null : paths;
  return Buffer.from(JSON.stringify({ v: 1, facts: record.facts, contents, basePaths }));
}

/** @throws AppError `bad_input` when the bytes are no record. */
export function decodeImportRecord(bytes: Buffer): ImportRecord {
  let raw: unknown;
  try {
    raw = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new AppError('bad_input', 'reading an import record that is no JSON', { cause });
  }
  const parsed = RecordSchema.safeParse(raw);
  if (!parsed.success)
    throw new AppError('bad_input', 'reading an import record of another form', {
      cause: parsed.error,
    });
  const { facts, contents, basePaths } = parsed.data;
  return {
    facts: checkFacts(facts),
    contents: new Map(
      Object.entries(contents).map(([oid, text]) => [oid, requireNamed(oid, text)]),
    ),
    basePaths,
  };
}

/** A content under another blob's name would be judged in its place. */
function requireNamed(oid: string, text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  const name = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  if (name !== oid)
    throw new AppError('bad_input', `reading an import record whose content ${oid} is another`);
  return bytes;
}
