/**
 * Signed tokens (header.payload.signature) in runs of their alphabet. Splitting at the dots keeps it linear where a pattern
 * with three repeated parts would start anew at every possible header.
 */
import type { SecretHit } from './hit.ts';

const RUN = /[A-Za-z0-9_.-]+/g;
/** `{"` in base64. */
const JSON_START = 'eyJ';
const MIN_PART_CHARS = 10;

/** Every place that looks like a JSON Web Token. */
export function findSignedTokens(text: string): SecretHit[] {
  const hits: SecretHit[] = [];
  for (const run of text.matchAll(RUN)) {
    if (run[0].includes(`.${JSON_START}`)) collect(run[0], run.index, hits);
  }
  return hits;
}

function collect(run: string, offset: number, hits: SecretHit[]): void {
  const parts = run.split('.');
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const header = part.indexOf(JSON_START);
    const payload = parts[index + 1] ?? '';
    const signature = parts[index + 2] ?? '';
    if (
      header >= 0 &&
      part.length - header >= MIN_PART_CHARS &&
      payload.startsWith(JSON_START) &&
      payload.length >= MIN_PART_CHARS &&
      signature.length >= MIN_PART_CHARS
    ) {
      const end = at + part.length + 1 + payload.length + 1 + signature.length;
      hits.push({
        kind: 'signed_token',
        start: offset + at + header,
        end: offset + end,
        shown: JSON_START,
      });
    }
    at += part.length + 1;
  }
}
