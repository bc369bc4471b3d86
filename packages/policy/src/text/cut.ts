/**
 * Shortens text without leaving half of anything: not of a character, a code span, a fence, or a number that would then name
 * another issue.
 */
import { fenceFor, renderBlock } from './blocks.ts';
import type { Block } from './blocks.ts';

const CUT_MARK = '\n\n[cut here: the text was longer]';

/** The blocks as text of at most `maxChars` UTF-16 units, and whether something is missing. */
export function renderWithin(
  blocks: readonly Block[],
  maxChars: number,
): { text: string; isCut: boolean } {
  const whole = blocks.map(renderBlock).join('\n').trim();
  if (whole.length <= maxChars) return { text: whole, isCut: false };
  const room = maxChars - CUT_MARK.length;
  const kept: string[] = [];
  let used = 0;
  for (const block of blocks) {
    const text = renderBlock(block);
    const left = room - used - (kept.length === 0 ? 0 : 1);
    if (text.length > left) {
      const part = block.kind === 'line' ? cutLine(block.text, left) : cutFence(block, left);
      if (part !== '') kept.push(part);
      break;
    }
    used = room - left + text.length;
    kept.push(text);
  }
  const text = `${kept.join('\n').trim()}${CUT_MARK}`.trim();
  return { text: text.length <= maxChars ? text : '', isCut: true };
}

/** The start of a line up to white space outside its code spans; empty when there is none. */
export function cutLine(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line;
  let end = 0;
  let isCode = false;
  for (let at = 0; at <= maxChars; at++) {
    if (line[at] === '`') isCode = !isCode;
    else if (!isCode && /\s/.test(line[at] ?? '')) end = at;
  }
  return line.slice(0, end).trimEnd();
}

function cutFence(block: Extract<Block, { kind: 'fence' }>, maxChars: number): string {
  const fence = fenceFor(block.lines);
  let left = maxChars - 2 * fence.length - block.info.length - 1;
  const lines: string[] = [];
  for (const line of block.lines) {
    if (line.length + 1 > left) break;
    left -= line.length + 1;
    lines.push(line);
  }
  return lines.length === 0 ? '' : renderBlock({ ...block, lines });
}
