/**
 * Checks the answer of an import child before anything relies on its form. The child reads hostile bytes; should one of
 * them take it over, it can lie, but it cannot hand the parent a value of another shape.
 */
import { AppError } from '@sallyport/shared/errors';
import { isRecord } from './child-protocol.ts';
import { CHANGE_STATUSES } from './diff-raw.ts';
import { BLOB_CONTENTS, type ImportFacts } from './import-facts.ts';
import { isOid } from './oid.ts';

type Check = (value: unknown, at: string) => void;

const text: Check = (value, at) => demand(typeof value === 'string', at);
const oid: Check = (value, at) => demand(typeof value === 'string' && isOid(value), at);
const count: Check = (value, at) => demand(Number.isSafeInteger(value) && Number(value) >= 0, at);
const mode: Check = matching(/^[0-7]{6}$/);
const sha256: Check = matching(/^[0-9a-f]{64}$/);

const change = shape({
  path: text,
  status: oneOf(CHANGE_STATUSES),
  oldMode: mode,
  newMode: mode,
  oldOid: orNull(oid),
  newOid: orNull(oid),
  oldSize: orNull(count),
  newSize: orNull(count),
});

const facts = shape({
  v: oneOf([1]),
  ref: text,
  base: oid,
  baseTree: oid,
  headOid: oid,
  headTree: oid,
  bundleSha256: sha256,
  bundleBytes: count,
  objectCount: count,
  objectBytes: count,
  commits: list(shape({ oid, tree: oid, parent: oid, changes: list(change) })),
  changes: list(change),
  blobs: list(shape({ oid, size: count, content: oneOf(BLOB_CONTENTS), sha256: orNull(sha256) })),
});

/** @throws AppError `bad_input` that names the first place that is not as it should be. */
export function checkFacts(value: unknown): ImportFacts {
  facts(value, 'facts');
  return value as ImportFacts;
}

/** @throws AppError `bad_input`. */
export function checkLengths(value: unknown): { oid: string; bytes: number }[] {
  list(shape({ oid, bytes: count }))(value, 'contents');
  return value as { oid: string; bytes: number }[];
}

function demand(holds: boolean, at: string): void {
  if (!holds)
    throw new AppError('bad_input', `the answer of the import child is malformed at ${at}`);
}

function matching(pattern: RegExp): Check {
  return (value, at) => demand(typeof value === 'string' && pattern.test(value), at);
}

function oneOf(allowed: readonly unknown[]): Check {
  return (value, at) => demand(allowed.includes(value), at);
}

function orNull(check: Check): Check {
  return (value, at) => (value === null ? undefined : check(value, at));
}

function list(check: Check): Check {
  return (value, at) => {
    demand(Array.isArray(value), at);
    for (const [index, item] of (value as unknown[]).entries()) check(item, `${at}[${index}]`);
  };
}

function shape(fields: Readonly<Record<string, Check>>): Check {
  const names = Object.keys(fields);
  return (value, at) => {
    if (!isRecord(value)) return demand(false, at);
    demand(Object.keys(value).length === names.length, at);
    for (const name of names) fields[name]?.(value[name], `${at}.${name}`);
  };
}
