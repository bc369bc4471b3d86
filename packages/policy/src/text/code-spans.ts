/**
 * Splits a line into code spans and text. Spans are recognised within one line only, and every backtick that is not part of
 * one is replaced, so that none is left over to pair with a later one and turn code inside out.
 */

export interface Segment {
  kind: 'code' | 'text';
  text: string;
}

/** The segments of a line, in order; code without its backticks. Text segments hold no backtick. */
export function splitCodeSpans(line: string): Segment[] {
  const runs = Array.from(line.matchAll(/`+/g), (match) => ({
    at: match.index,
    length: match[0].length,
  }));
  const closer = closersOf(runs);
  const segments: Segment[] = [];
  let from = 0;
  for (let index = 0; index < runs.length; index++) {
    const run = runs[index];
    if (run === undefined || run.at < from) continue;
    segments.push({ kind: 'text', text: line.slice(from, run.at) });
    const end = runs[closer[index] ?? -1];
    const isEscaped = run.at > 0 && line[run.at - 1] === '\\';
    if (end === undefined || isEscaped) {
      segments.push({ kind: 'text', text: "'".repeat(run.length) });
      from = run.at + run.length;
    } else {
      segments.push({ kind: 'code', text: line.slice(run.at + run.length, end.at) });
      from = end.at + end.length;
    }
  }
  segments.push({ kind: 'text', text: line.slice(from) });
  return joinTexts(segments);
}

/** For each run the index of the next run of the same length; from the right, so that it stays linear. */
function closersOf(runs: readonly { length: number }[]): (number | undefined)[] {
  const next = new Map<number, number>();
  const closer: (number | undefined)[] = [];
  for (let index = runs.length - 1; index >= 0; index--) {
    const length = runs[index]?.length ?? 0;
    closer[index] = next.get(length);
    next.set(length, index);
  }
  return closer;
}

function joinTexts(segments: readonly Segment[]): Segment[] {
  const joined: Segment[] = [];
  for (const segment of segments) {
    const last = joined.at(-1);
    if (segment.kind === 'text' && last?.kind === 'text') last.text += segment.text;
    else joined.push({ ...segment });
  }
  return joined;
}

/** What may stand between white space and a code span without becoming part of a link that swallows its first backtick. */
const HARMLESS_BEFORE = /(?:^|\s)[([{"'*_~,;>-]*$/;
const TAIL_CHARS = 64;

/** Writes segments back as one line in which each code span has one backtick on each side and stays a code span. */
export function renderSegments(segments: readonly Segment[]): string {
  const parts: string[] = [];
  // Only the last few characters matter, and looking at the end of a string that still grows would copy it each time.
  let tail = '';
  const write = (part: string): void => {
    parts.push(part);
    tail = (tail + part.slice(-TAIL_CHARS)).slice(-TAIL_CHARS);
  };
  for (const [index, { kind, text }] of segments.entries()) {
    if (kind === 'text') {
      // A backslash would escape the backtick that opens the span behind it.
      write(segments[index + 1]?.kind === 'code' ? trimBackslashes(text) : text);
      continue;
    }
    const content = codeContent(text);
    if (content === '') continue;
    const mayOpen = !tail.endsWith('`') && HARMLESS_BEFORE.test(tail);
    const needsSpace = tail.endsWith('`') || (content.includes('@') && !mayOpen);
    write(`${needsSpace ? ' ' : ''}\`${content}\``);
  }
  return parts.join('');
}

function codeContent(text: string): string {
  const content = text.replaceAll('`', "'").trim();
  // In a table a bar ends the cell before the span ends, and what was code would be text.
  return content.includes('@') ? content.replaceAll('|', '¦') : content;
}

function trimBackslashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\\') end--;
  return text.slice(0, end);
}
