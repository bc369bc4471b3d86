/**
 * Takes out of running text what its page does not show: attributes, declarations, texts that stand for images, titles of
 * links. Read from left to right as a renderer does, so that a code span is code and a tag within it is text.
 */
import type { Region } from './code-regions.ts';
import type { Count } from './hidden-kinds.ts';

const TAG =
  /<\/?([A-Za-z][A-Za-z0-9-]*)((?:\s+[^\s"'=<>`/]+(?:\s*=\s*(?:"[^"]{0,4000}"|'[^']{0,4000}'|[^\s"'=<>`]{1,4000}))?)*)\s*(\/?)>/y;
const ATTRIBUTE =
  /([^\s"'=<>`/]+)(?:\s*=\s*(?:"([^"]{0,4000})"|'([^']{0,4000})'|([^\s"'=<>`]{1,4000})))?/g;
const LAYOUT = /^(?:align|valign|width|height|open|colspan|rowspan|start|type|checked|disabled)$/i;
const PLAIN_VALUE = /^[A-Za-z0-9%.]{0,10}$/;
const IMAGE = /!\[((?:[^\]\\]|\\[^]){0,1000})\]/y;
const LINK_TITLE =
  /\]\((\s{0,20}(?:<[^<>\n]{0,2000}>|[^\s()]{1,2000}))\s{1,20}(?:"(?:[^"\\]|\\[^]){0,2000}"|'(?:[^'\\]|\\[^]){0,2000}'|\((?:[^()\\]|\\[^]){0,2000}\))\s{0,20}\)/y;
const PHANTOM = /\\[hv]?phantom\s{0,20}\{[^{}]{0,2000}\}/y;
const DECLARATIONS: readonly [start: string, end: string][] = [
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<!', '>'],
];

/** The text as it is seen. What is taken out leaves a space, so that its neighbours do not become something else. */
export function dropHiddenInline({ kind, lines }: Region, count: Count): string {
  const text = lines.join('\n');
  const spanEnd = kind === 'html' ? (at: number) => at + 1 : findCodeSpans(text);
  let kept = '';
  let at = 0;
  while (at < text.length) {
    const next = nextSign(text, at);
    kept += text.slice(at, next);
    if (next === text.length) break;
    const [shown, end] = readSign(text, next, spanEnd, count);
    kept += shown;
    at = end;
  }
  return kept;
}

const SIGN = /[\\`<!\]]/g;

function nextSign(text: string, from: number): number {
  SIGN.lastIndex = from;
  return SIGN.exec(text)?.index ?? text.length;
}

function readSign(
  text: string,
  at: number,
  spanEnd: (at: number) => number,
  count: Count,
): [shown: string, end: number] {
  switch (text.charAt(at)) {
    case '`': {
      const end = spanEnd(at);
      return [text.slice(at, end), end];
    }
    case '\\': {
      const phantom = matchAt(PHANTOM, text, at);
      if (phantom === null) return [text.slice(at, at + 2), at + 2];
      count('phantom_formula');
      return [' ', at + phantom[0].length];
    }
    case '<':
      return readTag(text, at, count) ?? readDeclaration(text, at, count) ?? ['<', at + 1];
    case '!': {
      const image = matchAt(IMAGE, text, at);
      if (image === null) return ['!', at + 1];
      if ((image[1] ?? '').trim() !== '') count('image_text');
      // The bracket is read on: what follows may have a title.
      return ['![', at + image[0].length - 1];
    }
    default: {
      const link = matchAt(LINK_TITLE, text, at);
      if (link === null) return [text.slice(at, at + 1), at + 1];
      count('link_title');
      return [`](${link[1]?.trim() ?? ''})`, at + link[0].length];
    }
  }
}

function readTag(text: string, at: number, count: Count): [string, number] | undefined {
  const tag = matchAt(TAG, text, at);
  if (tag === null) return undefined;
  const [whole, name = '', attributes = '', closed = ''] = tag;
  const kept: string[] = [];
  let dropped = false;
  for (const [given, attribute = '', ...values] of attributes.matchAll(ATTRIBUTE)) {
    const value = values.find((one) => one !== undefined) ?? '';
    if (isShown(attribute, value)) {
      kept.push(` ${given}`);
      continue;
    }
    dropped = true;
    if (attribute.toLowerCase() !== 'alt') count('html_attribute');
    else if (value.trim() !== '') count('image_text');
  }
  if (!dropped) return [whole, at + whole.length];
  const start = whole.startsWith('</') ? '</' : '<';
  return [`${start}${name}${kept.join('')}${closed}>`, at + whole.length];
}

/** Where a link or image leads can be seen by whoever looks, as in Markdown; layout says nothing. */
function isShown(attribute: string, value: string): boolean {
  if (/^(?:href|src)$/i.test(attribute)) return !/\s/.test(value.trim());
  return LAYOUT.test(attribute) && PLAIN_VALUE.test(value);
}

function readDeclaration(text: string, at: number, count: Count): [string, number] | undefined {
  for (const [start, end] of DECLARATIONS) {
    if (!text.startsWith(start, at)) continue;
    if (start === '<!' && !/[A-Za-z]/.test(text[at + 2] ?? '')) return undefined;
    const found = text.indexOf(end, at + start.length);
    count('html_declaration');
    // One without an end hides everything behind it.
    return [' ', found === -1 ? text.length : found + end.length];
  }
  return undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * Where the code span that begins at a run of backticks ends; without one, where the run ends. To be asked from left to
 * right, so that a text full of blank lines is read once and not once for each run.
 */
function findCodeSpans(text: string): (at: number) => number {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({
    index,
    length: run.length,
  }));
  const blanks = [...text.matchAll(/\n[ \t]*\n/g)].map(({ index }) => index);
  const starts = new Map(runs.map((run, i) => [run.index, i]));
  const nextOfLength = new Map<number, number>();
  const partner = new Map<number, number>();
  for (const [i, { length }] of [...runs.entries()].toReversed()) {
    const next = nextOfLength.get(length);
    if (next !== undefined) partner.set(i, next);
    nextOfLength.set(length, i);
  }
  let nextBlank = 0;
  return (at) => {
    while ((blanks[nextBlank] ?? text.length) <= at) nextBlank += 1;
    const i = starts.get(at);
    const run = i === undefined ? undefined : runs[i];
    if (i === undefined || run === undefined) return at + 1;
    const close = runs[partner.get(i) ?? -1];
    const after = blanks[nextBlank] ?? text.length;
    return close === undefined || close.index > after
      ? at + run.length
      : close.index + close.length;
  };
}
