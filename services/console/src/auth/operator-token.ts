/** Compares what somebody presents with the one operator token, of which only the hash is known here. */
import { createHash, timingSafeEqual } from 'node:crypto';

const MAX_TOKEN_CHARS = 1024;

/** Whether this is the token whose SHA-256 (64 hexadecimal digits) is given. Takes the same time wherever they differ. */
export function isOperatorToken(presented: string, sha256: string): boolean {
  if (presented.length > MAX_TOKEN_CHARS) return false;
  const hash = createHash('sha256').update(presented).digest();
  return timingSafeEqual(hash, Buffer.from(sha256, 'hex'));
}

/** The same for two short secrets of this process's own making. */
export function isSameSecret(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
