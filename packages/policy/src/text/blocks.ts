/**
 * Text as fenced code and single lines, written back in one form: fences at the margin, of backticks, longer than any run
 * inside, always closed. A renderer then sees code exactly where we do, which is what the treatment of the rest relies on.
 */

export type Block =
  | { kind: 'fence'; info: string; lines: string[] }
  | { kind: 'line'; text: string };

/** Indented openers are taken too: written back at the margin, they cannot end with the list item around them. */
const OPENER = /^ {0,12}(`{3,}|~{3,})[ \t]{0,20}([^`]{0,200})$/;
const INFO_WORD = /^[\w+#.-]{0,30}/;

/** The blocks of a text whose lines end in LF. A fence that is not closed reaches to the end. */
export function parseBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { block: Extract<Block, { kind: 'fence' }>; mark: string } | null = null;
  for (const line of text.split('\n')) {
    if (open !== null) {
      if (closes(line, open.mark)) open = null;
      else open.block.lines.push(line);
      continue;
    }
    const opener = OPENER.exec(line);
    if (opener === null) {
      blocks.push({ kind: 'line', text: line });
      continue;
    }
    const info = INFO_WORD.exec((opener[2] ?? '').trim())?.[0] ?? '';
    open = { block: { kind: 'fence', info, lines: [] }, mark: opener[1] ?? '```' };
    blocks.push(open.block);
  }
  return blocks;
}

function closes(line: string, mark: string): boolean {
  const found = /^ {0,12}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return found !== undefined && found[0] === mark[0] && found.length >= mark.length;
}

/** The block as text, without a final LF. */
export function renderBlock(block: Block): string {
  if (block.kind === 'line') return block.text;
  const fence = fenceFor(block.lines);
  return [`${fence}${block.info}`, ...block.lines, fence].join('\n');
}

/** The shortest fence that nothing inside can close. */
export function fenceFor(lines: readonly string[]): string {
  let longest = 2;
  for (const line of lines) {
    for (const run of line.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  }
  return '`'.repeat(longest + 1);
}
