/**
 * Takes the power out of words that GitHub or a bot obeys: mentions, commands at the start of a line, keywords that close
 * issues, trailers and markers that a squashed commit would carry on. They stay readable.
 */
import type { Segment } from './code-spans.ts';

/** Letters before it make an address of it; anything else, even an underscore, can vanish when rendered. */
const MENTION = /(?<![A-Za-z0-9])@[A-Za-z0-9][\w-]*(?:\/[A-Za-z0-9][\w.-]*)?/g;

/** A stretch of text with each mention as a code span of its own. */
export function wrapMentions(text: string): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  for (const match of text.matchAll(MENTION)) {
    segments.push({ kind: 'text', text: text.slice(from, match.index) });
    segments.push({ kind: 'code', text: match[0] });
    from = match.index + match[0].length;
  }
  segments.push({ kind: 'text', text: text.slice(from) });
  return segments;
}

/** A path goes on after its first component; a command does not. */
const COMMAND = /^(\s*)(\/[A-Za-z][\w-]*)(?![\w/.-])(`?)/;
const TRAILER =
  /^(\s*)((?:co-authored|signed-off|reviewed|acked|tested|approved|reported)-by|skip-checks|change-id)(\s{0,4}:)/i;

/** A line, in code or not, whose first word is neither a command nor a trailer. Bots read the source, so fences do not help. */
export function disarmLineStart(line: string): string {
  return line
    .replace(
      COMMAND,
      (_all, space: string, word: string, tick: string) =>
        `${space}\`${word}\`${tick === '' ? '' : ' `'}`,
    )
    .replace(TRAILER, '$1`$2`$3');
}

const REFERENCE = String.raw`(?:[\w.-]{1,100}\/[\w.-]{1,100})?#\d|GH-\d|https?:\/\/[\w.-]{1,100}\/[\w.-]{1,100}\/[\w.-]{1,100}\/(?:issues|pull)\/\d`;
// An underscore before the word is markup to GitHub and a letter to `\b`.
const CLOSING = new RegExp(
  String.raw`(?<![A-Za-z0-9])(close[sd]?|fix(?:e[sd])?|resolve[sd]?)([\s:*_~\\"'()[\]]{0,10}?)(?=${REFERENCE})`,
  'gi',
);
const PLAIN_GAP = /^:? $/;

/** The text in which no keyword closes anything but the ticket's issue, written `Fixes #12`. */
export function dropClosingKeywords(text: string, closesIssue: number | null): string {
  return text.replace(CLOSING, (all: string, _word: string, gap: string, at: number) => {
    const rest = text.slice(at + all.length, at + all.length + 24);
    const isOurs = closesIssue !== null && new RegExp(`^#${closesIssue}(?!\\d)`).test(rest);
    return isOurs && PLAIN_GAP.test(gap) ? all : `see${gap === '' ? ' ' : gap}`;
  });
}

const SKIP_MARK =
  /\[(?:skip[ -]ci|ci[ -]skip|no[ -]ci|skip actions|actions skip|skip checks)\]|\*\*\*NO_CI\*\*\*/gi;

/** The text without the marks by which a commit message tells pipelines not to run. */
export function dropSkipMarks(text: string): string {
  return text.replace(SKIP_MARK, '(no skip)');
}
