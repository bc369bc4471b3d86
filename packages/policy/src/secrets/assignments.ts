/**
 * Long random values given to a name that speaks of keys, tokens, secrets or passwords. Randomness is measured, so that a
 * long word or a path after `key:` is no finding.
 */
import type { SecretHit } from './hit.ts';

const ASSIGNMENT =
  /(?:key|token|secret|passw|credential)[A-Za-z0-9_-]{0,40}["'`]?\s{0,8}(?:=>|:=|[:=])\s{0,8}["'`]?([A-Za-z0-9+/=_.~-]{40,})/gi;
const HEX = /^[0-9a-f]+$/i;
const MIN_BITS_HEX = 3;
const MIN_BITS = 3.8;
/** Enough to know how random a value is; measuring a megabyte would tell no more. */
const MEASURED_CHARS = 512;

/** Every assignment of a value that is random enough; the hit covers the value alone. */
export function findAssignments(text: string): SecretHit[] {
  const hits: SecretHit[] = [];
  for (const match of text.matchAll(ASSIGNMENT)) {
    const value = match[1] ?? '';
    if (!isRandom(value)) continue;
    const end = match.index + match[0].length;
    hits.push({ kind: 'high_entropy_value', start: end - value.length, end, shown: '' });
  }
  return hits;
}

function isRandom(value: string): boolean {
  const sample = value.slice(0, MEASURED_CHARS);
  if (!/\d/.test(sample) || !/[A-Za-z]/.test(sample)) return false;
  return bitsPerChar(sample) >= (HEX.test(sample) ? MIN_BITS_HEX : MIN_BITS);
}

function bitsPerChar(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) {
    const share = count / value.length;
    bits -= share * Math.log2(share);
  }
  return bits;
}
