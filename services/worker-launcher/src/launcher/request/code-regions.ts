/**
 * Tells the code blocks of a Markdown text from the rest, and is careful: a block that may be none, because it stands in
 * HTML or has no end, counts as text, of which more is taken out.
 */

export interface Region {
  /** In HTML no backtick makes anything code. */
  kind: 'text' | 'html' | 'code';
  lines: string[];
}

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
/** HTML that goes on over blank lines, until it is closed. */
const RAW_HTML = /^ {0,3}<(pre|script|style|textarea)(?=[\s>]|$)/i;
const HTML_LINE = /^ {0,3}</;

/** The regions of a text in their order; a code region has its fences as first and last line. */
export function splitRegions(text: string): Region[] {
  const lines = text.split('\n');
  const regions: Region[] = [];
  const ends = closingFences(lines);
  let rawUntil: RegExp | undefined;
  let inHtml = false;
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i] ?? '';
    const end = rawUntil === undefined && !inHtml ? ends(i) : undefined;
    if (end !== undefined) {
      regions.push({ kind: 'code', lines: lines.slice(i, end + 1) });
      i = end;
      continue;
    }
    const raw = rawUntil === undefined ? RAW_HTML.exec(line) : null;
    if (raw !== null) rawUntil = new RegExp(`</${raw[1]}`, 'i');
    if (rawUntil?.test(line) === true) rawUntil = undefined;
    inHtml = line.trim() !== '' && (inHtml || HTML_LINE.test(line));
    const kind = inHtml || rawUntil !== undefined ? 'html' : 'text';
    const last = regions.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else regions.push({ kind, lines: [line] });
  }
  return regions;
}

/** For a line that opens a block: the line that closes it. Looked up from behind, so that unclosed ones cost nothing. */
function closingFences(lines: readonly string[]): (index: number) => number | undefined {
  const fences = lines.map((line) => FENCE.exec(line)?.[1] ?? '');
  const next = new Map<number, number>();
  /** The nearest bare fence behind, by its sign and length. */
  const nearest = new Map<string, number>();
  for (let i = lines.length - 1; i >= 0; i -= 1) {
    const fence = fences[i] ?? '';
    if (fence === '') continue;
    const candidates = [...nearest].filter(
      ([bare]) => bare[0] === fence[0] && bare.length >= fence.length,
    );
    if (candidates.length > 0) next.set(i, Math.min(...candidates.map(([, at]) => at)));
    if ((lines[i] ?? '').trim() === fence) nearest.set(fence, i);
  }
  return (index) => next.get(index);
}
