/**
 * Makes foreign bytes fit for a log, a terminal or a message: credentials scrubbed, everything but printable ASCII
 * escaped. A branch name may hold terminal escapes, and a remote may echo what it was sent.
 */
import { scrubSecrets } from '@sallyport/shared/scrub';

/** The text of `bytes` in printable ASCII and line breaks, at most `maxLength` characters from its end. */
export function quoteForLog(bytes: Uint8Array | string, maxLength = 2_000): string {
  const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8');
  const printable = scrubSecrets(text).replace(/[^\n\x20-\x7e]/gu, escapeCharacter);
  return printable.trim().slice(-maxLength);
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
