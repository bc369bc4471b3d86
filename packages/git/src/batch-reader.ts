/**
 * Reads objects by name through `cat-file --batch`, never by path: kinds and sizes first, contents only of what fits. The
 * parser takes each size from git and must meet the line break after it, so that content cannot pass for a header.
 */
import { AppError } from '@sallyport/shared/errors';
import { runGit, type GitCommand } from './run-git.ts';

export const OBJECT_KINDS = ['commit', 'tree', 'blob', 'tag'] as const;
export type ObjectKind = (typeof OBJECT_KINDS)[number];

export interface ObjectInfo {
  oid: string;
  kind: ObjectKind;
  size: number;
}

/** Everything about a git command that the reader does not set itself: the repository, limits, a sandbox. */
export type GitPlace = Omit<GitCommand, 'args' | 'stdin' | 'maxStdoutBytes' | 'onStdout'>;

const INFO_LINE = /^([0-9a-f]{40}) (commit|tree|blob|tag) ([0-9]{1,15})$/;
const MAX_INFO_LINE_BYTES = 80;

/**
 * Kind and size of each object, in the order asked; absent objects are left out.
 * @throws AppError as `runGit`; `internal` when the answer does not have git's form.
 */
export async function readObjectInfo(
  place: GitPlace,
  oids: readonly string[],
): Promise<Map<string, ObjectInfo>> {
  if (oids.length === 0) return new Map();
  const output = await runGit({
    ...place,
    args: ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)', '--buffer'],
    stdin: Buffer.from(`${oids.join('\n')}\n`),
    maxStdoutBytes: oids.length * MAX_INFO_LINE_BYTES,
  });
  const found = new Map<string, ObjectInfo>();
  const lines = output.toString('latin1').split('\n').slice(0, -1);
  if (lines.length !== oids.length) throw malformed('one line for each object');
  for (const [index, line] of lines.entries()) {
    const oid = oids[index] ?? '';
    if (line === `${oid} missing`) continue;
    const info = parseInfo(line);
    if (info.oid !== oid) throw malformed('the object that was asked for');
    found.set(oid, info);
  }
  return found;
}

/**
 * The contents of objects whose kind and size are known. The sum of sizes bounds what is read.
 * @throws AppError as `runGit`; `internal` when an object is not what its info said.
 */
export async function readObjects(
  place: GitPlace,
  infos: readonly ObjectInfo[],
): Promise<Map<string, Buffer>> {
  if (infos.length === 0) return new Map();
  const expectedBytes = infos.reduce((sum, info) => sum + info.size + MAX_INFO_LINE_BYTES, 0);
  const output = await runGit({
    ...place,
    args: ['cat-file', '--batch=%(objectname) %(objecttype) %(objectsize)', '--buffer'],
    stdin: Buffer.from(`${infos.map((info) => info.oid).join('\n')}\n`),
    maxStdoutBytes: expectedBytes,
  });
  return parseBatch(output, infos);
}

/** Splits the output of `cat-file --batch` into contents. @throws AppError `internal` on any surprise. */
export function parseBatch(output: Buffer, infos: readonly ObjectInfo[]): Map<string, Buffer> {
  const contents = new Map<string, Buffer>();
  let offset = 0;
  for (const expected of infos) {
    const lineEnd = output.indexOf(0x0a, offset);
    if (lineEnd === -1) throw malformed('a header line');
    const info = parseInfo(output.toString('latin1', offset, lineEnd));
    if (info.oid !== expected.oid || info.kind !== expected.kind || info.size !== expected.size) {
      throw malformed('the object that was asked for');
    }
    const end = lineEnd + 1 + info.size;
    if (output[end] !== 0x0a) throw malformed('a line break after the content');
    contents.set(info.oid, output.subarray(lineEnd + 1, end));
    offset = end + 1;
  }
  if (offset !== output.length) throw malformed('the end');
  return contents;
}

function parseInfo(line: string): ObjectInfo {
  const [, oid, kind, size] = INFO_LINE.exec(line) ?? [];
  if (oid === undefined || kind === undefined || size === undefined) {
    throw malformed('name, kind and size');
  }
  return { oid, kind: kind as ObjectKind, size: Number(size) };
}

function malformed(expected: string): AppError {
  return new AppError(
    'internal',
    `reading objects: expected ${expected} in the answer of cat-file`,
  );
}
