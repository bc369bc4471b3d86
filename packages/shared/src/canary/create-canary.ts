/**
 * Makes the credential that is planted in one sandbox: it looks like a token of GitHub and cannot be one. The last six
 * digits of theirs are a 32-bit checksum in base 62, which never begins with a letter; those of ours always do.
 */
import { randomInt } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_DIGITS = 30;
const CHECKSUM_DIGITS = 6;

/** A new canary: `ghs_` and 36 letters and digits, never the same twice. */
export function createCanary(): string {
  return `ghs_${digits(RANDOM_DIGITS)}z${digits(CHECKSUM_DIGITS - 1)}`;
}

function digits(count: number): string {
  return Array.from({ length: count }, () => DIGITS[randomInt(DIGITS.length)]).join('');
}
