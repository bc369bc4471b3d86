/**
 * Finds the expectation that was made to agree: a line of a test that comes back with nothing but its values changed. A
 * renamed function or a new argument leaves another line; a defect that is declared right leaves exactly this one.
 */
import type { LineDiff } from '../line-diff.ts';
import type { TestSigns } from './test-signs.ts';

const VALUE =
  /"(?:[^"\\]|\\.){0,400}"|'(?:[^'\\]|\\.){0,400}'|`(?:[^`\\]|\\.){0,400}`|\b\d[\w.]{0,100}|\b(?:true|false|null|undefined|True|False|None)\b/g;
const MARK = '\u0000';

/** The line, in the old text, of the first assertion whose values were exchanged, or null. */
export function firstRewrittenValue(signs: TestSigns, diff: LineDiff): number | null {
  const comeBack = new Set(diff.added.map(({ text }) => maskValues(text)));
  const unchanged = new Set(diff.added.map(({ text }) => text.trim()));
  for (const { text, line } of diff.removed) {
    if (signs.comment.test(text) || !hasAssertion(signs, text)) continue;
    const mask = maskValues(text);
    if (!mask.includes(MARK) || unchanged.has(text.trim())) continue;
    if (comeBack.has(mask)) return line;
  }
  return null;
}

function hasAssertion(signs: TestSigns, text: string): boolean {
  return text.match(signs.assertion) !== null;
}

function maskValues(text: string): string {
  return text.trim().replace(VALUE, MARK);
}
