/**
 * Which lines of a comment are its author's own visible words. Fences, indented code, quotes, HTML comments and the HTML
 * blocks that show text verbatim or as somebody else's are not: what a reader would take for an example or cannot see
 * must not command anything. In doubt a line is hidden.
 */

interface Fence {
  mark: '`' | '~';
  length: number;
  indent: number;
}

const LIST_MARKERS = /^ {0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+/;
const FENCE_OPEN = /^([ \t]*)(`{3,}|~{3,})(.*)$/;
const CODE_SPAN = /(`+)(?!`)(.*?[^`])\1(?!`)/g;
const BLOCK_OPEN = /<(pre|script|style|textarea|blockquote)(?=[\s>/]|$)/i;
const TAB_COLUMNS = '    ';

/** The lines of a text that are visible, unquoted prose, in order. Hidden lines are left out. */
export function visibleLines(text: string): string[] {
  const visible: string[] = [];
  let fence: Fence | null = null;
  let hiddenUntil: RegExp | null = null;
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (fence !== null) {
      if (closesFence(line, fence)) fence = null;
      continue;
    }
    if (hiddenUntil !== null) {
      const end = hiddenUntil.exec(line);
      if (end !== null) hiddenUntil = openAfter(line.slice(end.index + end[0].length));
      continue;
    }
    fence = opensFence(line);
    if (fence !== null || /^ {0,3}>/.test(line)) continue;
    hiddenUntil = openAfter(line);
    if (!/^(?: {4}| {0,3}\t)/.test(line)) visible.push(line);
  }
  return visible;
}

function opensFence(line: string): Fence | null {
  const markers = LIST_MARKERS.exec(line)?.[0] ?? '';
  const match = FENCE_OPEN.exec(line.slice(markers.length));
  if (match === null) return null;
  const [, space = '', marks = '', info = ''] = match;
  // Four columns in it is indented code, or belongs to a list item, which ends with the next line that starts at the margin.
  if (markers === '' && columns(space) > 3) return null;
  if (marks.startsWith('`') && info.includes('`')) return null;
  return {
    mark: marks.startsWith('`') ? '`' : '~',
    length: marks.length,
    indent: columns(markers) + columns(space),
  };
}

function closesFence(line: string, fence: Fence): boolean {
  const match = FENCE_OPEN.exec(line);
  if (match === null) return false;
  const [, space = '', marks = '', info = ''] = match;
  return (
    marks.startsWith(fence.mark) &&
    marks.length >= fence.length &&
    info.trim() === '' &&
    columns(space) <= fence.indent + 3
  );
}

function columns(space: string): number {
  return space.replaceAll('\t', TAB_COLUMNS).length;
}

/** What a line leaves open: the pattern that ends it, or null. */
function openAfter(line: string): RegExp | null {
  let rest = line.replace(CODE_SPAN, '');
  for (;;) {
    const comment = rest.indexOf('<!--');
    const block = BLOCK_OPEN.exec(rest);
    if (comment === -1 && block === null) return null;
    const isComment = comment !== -1 && (block === null || comment < block.index);
    const start = isComment ? comment : (block?.index ?? 0);
    const end = isComment ? /-->/ : new RegExp(`</${block?.[1] ?? ''}\\s*>`, 'i');
    // `<!-->` is a whole comment: its end may overlap its beginning.
    const from = start + (isComment ? 2 : (block?.[0].length ?? 0));
    const found = end.exec(rest.slice(from));
    if (found === null) return end;
    rest = rest.slice(from + found.index + found[0].length);
  }
}
