/**
 * Text of an agent on its way to GitHub. It is hostile until shown otherwise: it may mention people, give orders to bots,
 * close issues, hide text or carry a secret out. What comes out is short, visible, and obeyed by nobody.
 */
import { removeHidden } from './hidden-characters.ts';
import { CANARY_KIND } from './secrets/hit.ts';
import { redactSecrets } from './secrets/scan.ts';
import { parseBlocks, renderBlock } from './text/blocks.ts';
import type { Block } from './text/blocks.ts';
import { renderSegments, splitCodeSpans } from './text/code-spans.ts';
import type { Segment } from './text/code-spans.ts';
import { cutLine, renderWithin } from './text/cut.ts';
import {
  disarmLineStart,
  dropClosingKeywords,
  dropSkipMarks,
  wrapMentions,
} from './text/neutralise.ts';
import { escapeHtml, removeComments, stripTags } from './text/strip-markup.ts';

export const MAX_TITLE_CHARS = 200;
export const MAX_AGENT_BODY_CHARS = 10_000;
/** Below the 65 536 that GitHub takes, since it counts in its own way. */
export const MAX_BODY_CHARS = 60_000;

/** Beyond this the text is cut unread; the caps that count are far below. */
const MAX_RAW_CHARS = 40_000;
const MAX_PASSES = 8;

export const TEXT_NOTES = ['secret_redacted', 'canary_seen', 'cut', 'dropped'] as const;
/** What a caller must know: `canary_seen` is an alarm; `dropped` means that no safe form was found. */
export type TextNote = (typeof TEXT_NOTES)[number];

export interface CleanText {
  text: string;
  notes: TextNote[];
}

export interface TextOptions {
  /** The issue of the ticket, the only one that a keyword may close. */
  closesIssue?: number | null;
  canaries?: readonly string[];
  allowSecretHashes?: readonly string[];
  maxChars?: number;
}

/** A body or comment as Markdown of at most 10 000 UTF-16 units. Cleaning it once more changes nothing. */
export function cleanBody(raw: string, options: TextOptions = {}): CleanText {
  const maxChars = Math.min(options.maxChars ?? MAX_AGENT_BODY_CHARS, MAX_AGENT_BODY_CHARS);
  return settle(raw, options, (text) => {
    const blocks = parseBlocks(removeComments(text)).map(cleanBlock);
    const { text: rendered, isCut } = renderWithin(
      parseBlocks(cleanWhole(blocks.map(renderBlock).join('\n'), options)),
      maxChars,
    );
    return { text: rendered, isCut };
  });
}

/** A title: one line of at most 200 UTF-16 units, possibly empty. Cleaning it once more changes nothing. */
export function cleanTitle(raw: string, options: TextOptions = {}): CleanText {
  const maxChars = Math.min(options.maxChars ?? MAX_TITLE_CHARS, MAX_TITLE_CHARS);
  return settle(raw, options, (text) => {
    const line = removeComments(text).replace(/\s+/g, ' ').trim();
    const clean = cleanWhole(disarmLineStart(cleanLine(line, stripTags)), options).trim();
    if (clean.length <= maxChars) return { text: clean, isCut: false };
    const part = cutLine(clean, maxChars - 2);
    return { text: part === '' ? '' : `${part} …`, isCut: true };
  });
}

interface Pass {
  text: string;
  isCut: boolean;
}

/**
 * Repeats a pass until it changes nothing: taking one thing out can join two halves of another. Text that does not come to
 * rest is dropped.
 */
function settle(raw: string, options: TextOptions, pass: (text: string) => Pass): CleanText {
  const notes = new Set<TextNote>();
  if (raw.length > MAX_RAW_CHARS) notes.add('cut');
  let text = raw.slice(0, MAX_RAW_CHARS);
  for (let round = 0; round < MAX_PASSES; round++) {
    const hidden = removeHidden(text);
    const redacted = redact(hidden, options, notes);
    const next = pass(redacted);
    if (next.isCut) notes.add('cut');
    if (next.text === text) return { text, notes: [...notes] };
    text = next.text;
  }
  return { text: '', notes: [...notes, 'dropped'] };
}

function redact(text: string, options: TextOptions, notes: Set<TextNote>): string {
  const { text: clean, hits } = redactSecrets(text, {
    canaries: options.canaries ?? [],
    allowHashes: options.allowSecretHashes ?? [],
  });
  for (const hit of hits) notes.add(hit.kind === CANARY_KIND ? 'canary_seen' : 'secret_redacted');
  return clean;
}

function cleanBlock(block: Block): Block {
  if (block.kind === 'fence') return { ...block, lines: block.lines.map(disarmLineStart) };
  const text = cleanLine(block.text, (part) =>
    // Runs of these would open a fence or a formula at the start of a line.
    escapeHtml(stripTags(part))
      .replace(/~{3,}/g, '~~')
      .replace(/\${2,}/g, '$'),
  );
  return { kind: 'line', text: disarmLineStart(text) };
}

function cleanLine(line: string, cleanText: (part: string) => string): string {
  const segments = splitCodeSpans(line).flatMap((segment): Segment[] =>
    segment.kind === 'code' ? [segment] : wrapMentions(cleanText(segment.text)),
  );
  return renderSegments(segments).trimEnd();
}

function cleanWhole(text: string, options: TextOptions): string {
  return dropSkipMarks(dropClosingKeywords(text, options.closesIssue ?? null));
}
