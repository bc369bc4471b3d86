/**
 * Characters that a reader does not see, or that change what he sees: the means of showing one text to a human and another
 * to a machine. Emoji need two of them, and in well-formed emoji they are harmless.
 */

/** Soft hyphen, zero width, bidi, word joiners, Hangul fillers, variation selectors 1–14, tags, and the line separators. */
const HIDDEN =
  /[\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{180b}-\u{180f}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{3164}\u{fe00}-\u{fe0d}\u{feff}\u{ffa0}\u{fff9}-\u{fffb}\u{e0000}-\u{e0fff}]/u;
const HIDDEN_ALL = new RegExp(HIDDEN.source, 'gu');

/** Pictographs joined by U+200D, as in a family emoji; a joiner anywhere else is hidden text. */
const JOINED_EMOJI =
  /\p{Extended_Pictographic}[\u{fe0f}\u{1f3fb}-\u{1f3ff}]?(?:\u{200d}\p{Extended_Pictographic}[\u{fe0f}\u{1f3fb}-\u{1f3ff}]?){1,8}/gu;

/** Controls that move a terminal's cursor or speak to it. Tab, line feed, form feed and a final carriage return are text. */
const CONTROL = /[\u{0}-\u{8}\u{b}\u{e}-\u{1f}\u{7f}-\u{9f}]|\r(?!$)/u;
const CONTROL_ALL = /[\u{0}-\u{8}\u{b}\u{c}\u{e}-\u{1f}\u{7f}-\u{9f}]/gu;

/** Position of the first hidden character in a line, or -1. A byte order mark at the start of a file's first line is none. */
export function findHidden(line: string, isFirstLine: boolean): number {
  if (!HIDDEN.test(line)) return -1;
  const masked = line.replace(JOINED_EMOJI, (emoji) => '.'.repeat(emoji.length));
  const text = isFirstLine && masked.startsWith('\u{feff}') ? `.${masked.slice(1)}` : masked;
  return text.search(HIDDEN);
}

/** Whether a line holds a control character that no text needs. */
export function hasControl(line: string): boolean {
  return CONTROL.test(line);
}

/** The text without hidden and control characters; carriage returns and line separators become line feeds. */
export function removeHidden(text: string): string {
  return text
    .replace(/\r\n?|[\u{2028}\u{2029}\u{85}]/gu, '\n')
    .replace(CONTROL_ALL, '')
    .replace(HIDDEN_ALL, '')
    .replace(/\p{Cs}/gu, '');
}

const WORD = /[\p{L}\p{M}\p{N}_$]+/gu;
const LATIN = /\p{Script=Latin}/u;
const CYRILLIC = /\p{Script=Cyrillic}/u;
/** Greek letters drawn like Latin ones. The others, as in `Δt` or `μs`, deceive nobody. */
const GREEK_LOOKALIKE = /[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧανικορυχϲϹϳͿ]/u;

/** Position of the first word that mixes Latin letters with Cyrillic ones or Greek lookalikes, or -1. */
export function findMixedScript(line: string): number {
  if (!CYRILLIC.test(line) && !GREEK_LOOKALIKE.test(line)) return -1;
  for (const match of line.matchAll(WORD)) {
    const word = match[0];
    if (LATIN.test(word) && (CYRILLIC.test(word) || GREEK_LOOKALIKE.test(word))) return match.index;
  }
  return -1;
}
