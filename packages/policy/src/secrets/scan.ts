/**
 * Finds secrets in one text: known shapes, signed tokens, long random values given to a name like a secret's, planted
 * canaries, and all of these again behind one base64. Nothing in the text can switch it off. Time grows with the length.
 */
import { createHash } from 'node:crypto';
import { findAssignments } from './assignments.ts';
import { createCanaryScan } from './canaries.ts';
import { CANARY_KIND } from './hit.ts';
import type { SecretHit, SecretOptions } from './hit.ts';
import { DOCUMENTATION_VALUES, SECRET_SHAPES } from './shapes.ts';
import { findSignedTokens } from './signed-tokens.ts';
import { viewsOf } from './views.ts';

const MAX_HITS_PER_VIEW = 10_000;

/** All secrets in the text, in order of their place; a secret seen in two ways is named once. */
export function scanSecrets(text: string, options: SecretOptions = {}): SecretHit[] {
  const findCanaries = createCanaryScan(options.canaries ?? []);
  const allowed = new Set(options.allowHashes);
  const hits = viewsOf(text).flatMap((view) =>
    [...findCanaries(view.text), ...findPlain(view.text, allowed)]
      .slice(0, MAX_HITS_PER_VIEW)
      .map((hit) => ({ ...hit, ...view.locate(hit.start, hit.end) })),
  );
  return mergeHits(hits);
}

/** The text with every secret replaced by `[redacted]`, and what was found. */
export function redactSecrets(
  text: string,
  options: SecretOptions = {},
): { text: string; hits: SecretHit[] } {
  const hits = scanSecrets(text, options);
  let clean = '';
  let at = 0;
  for (const hit of hits) {
    clean += `${text.slice(at, hit.start)}[redacted]`;
    at = hit.end;
  }
  return { text: clean + text.slice(at), hits };
}

function findPlain(text: string, allowed: ReadonlySet<string>): SecretHit[] {
  const shaped = SECRET_SHAPES.flatMap(({ kind, pattern, shown }) =>
    Array.from(text.matchAll(pattern), (match) => ({
      kind,
      start: match.index,
      end: match.index + match[0].length,
      shown: match[0].slice(0, shown),
    })),
  );
  const all = [...shaped, ...findSignedTokens(text), ...findAssignments(text)];
  return all.filter((hit) => {
    const value = text.slice(hit.start, hit.end);
    return !DOCUMENTATION_VALUES.has(value) && !(allowed.size > 0 && allowed.has(sha256(value)));
  });
}

function sha256(value: string): string {
  return createHash('sha256').update(value, 'utf8').digest('hex');
}

/** Overlapping hits become one; a canary outranks every other kind, a known shape a guess. */
function mergeHits(hits: readonly SecretHit[]): SecretHit[] {
  const merged: SecretHit[] = [];
  const rank = (hit: SecretHit): number =>
    hit.kind === CANARY_KIND ? 2 : Number(hit.shown !== '');
  for (const hit of hits.toSorted((left, right) => left.start - right.start)) {
    const last = merged.at(-1);
    if (last === undefined || hit.start >= last.end) {
      merged.push({ ...hit });
      continue;
    }
    last.end = Math.max(last.end, hit.end);
    if (rank(hit) > rank(last)) {
      last.kind = hit.kind;
      last.shown = hit.shown;
    }
  }
  return merged;
}
