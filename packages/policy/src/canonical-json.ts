/**
 * One spelling per value, so that a hash names the value and not the order in which somebody wrote its keys.
 */
import { createHash } from 'node:crypto';

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** JSON with the keys of every object in code unit order and no white space. @throws RangeError for a number that is not finite. */
export function canonicalJson(value: Json): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new RangeError('writing canonical JSON: a number is not finite');
  }
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** SHA-256 of the canonical JSON, as 64 hex digits. */
export function hashJson(value: Json): string {
  return createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex');
}
