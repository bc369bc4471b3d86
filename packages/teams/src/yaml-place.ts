/**
 * Finds the line and column in a YAML file at which its author finds what a problem speaks of: the value, its key, or what
 * is around it, whichever is there.
 */
import { isMap, type Document, type LineCounter } from 'yaml';

/** Counted from 1. */
export interface PlaceInFile {
  line: number;
  column: number;
}
export const FILE_START: PlaceInFile = { line: 1, column: 1 };

/**
 * The place of a value; of its key, when it has one there or when the problem is the key (`isKey`); else of what is around
 * it.
 */
export function placeOf(
  document: Document,
  lines: LineCounter,
  path: readonly (string | number)[],
  isKey: boolean,
): PlaceInFile {
  return placeAt(lines, offsetOf(document, path, isKey));
}

/** The place of an offset. */
export function placeAt(lines: LineCounter, offset: number): PlaceInFile {
  const { line, col } = lines.linePos(offset);
  return line === 0 ? FILE_START : { line, column: col };
}

function offsetOf(document: Document, path: readonly (string | number)[], isKey: boolean): number {
  for (let length = path.length; length > 0; length -= 1) {
    const last = path[length - 1];
    const parent =
      length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    if (isMap(parent)) {
      const pair = parent.items.find((item) => nameOf(item.key) === String(last));
      const range = rangeOf(pair?.value) ?? rangeOf(pair?.key);
      const keyRange = rangeOf(pair?.key);
      // A wrong scalar is shown itself; an unknown key, and a wrong map or list, by the key.
      const byKey = isKey || !isScalarLike(pair?.value);
      const start = byKey ? (keyRange ?? range) : range;
      if (start !== undefined) return start;
    } else {
      const found = rangeOf(document.getIn(path.slice(0, length), true));
      if (found !== undefined) return found;
    }
  }
  return rangeOf(document.contents) ?? 0;
}

function isScalarLike(node: unknown): boolean {
  return typeof node === 'object' && node !== null && 'value' in node;
}
function nameOf(key: unknown): string {
  return typeof key === 'object' && key !== null && 'value' in key
    ? String(key.value)
    : String(key);
}
function rangeOf(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined;
  return Array.isArray(node.range) ? Number(node.range[0]) : undefined;
}
