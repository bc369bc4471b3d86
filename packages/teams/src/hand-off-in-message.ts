/**
 * Finds the hand-off in an agent's last words. A read-only agent may be unable to write a file at all (no shell, or a
 * sandbox of its own), and is then told to end its answer with the hand-off; what is found is parsed as strictly as a file.
 */
import { HAND_OFF_MAX_BYTES, parseHandOff, type ParsedHandOff } from './hand-off.ts';

/** So much of the end of an output is searched: a hand-off with room for its fence and for words after it. */
export const SEARCHED_BYTES = HAND_OFF_MAX_BYTES + 64 * 1024;

const FENCE = /^[ \t]*```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```[ \t]*$/gm;

/** The last fenced JSON object that is a hand-off's kind, else an output that is one itself; null when there is none. */
export function findHandOffInMessage(output: string): ParsedHandOff | null {
  const end = Buffer.from(output).subarray(-SEARCHED_BYTES).toString('utf8');
  const blocks = [...end.matchAll(FENCE)].map((match) => match[1] ?? '');
  const candidate = blocks.findLast((block) => isObjectText(block)) ?? bareObject(end);
  return candidate === undefined ? null : parseHandOff(Buffer.from(candidate));
}

function isObjectText(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.startsWith('{') && trimmed.endsWith('}');
}

function bareObject(text: string): string | undefined {
  return isObjectText(text) ? text.trim() : undefined;
}
