/**
 * The same text read in other ways: base64 undone once, and string pieces joined as a program would join them. A hit in a
 * view is reported at the place in the text that the view was made from.
 */

export interface View {
  text: string;
  /** The place in the original text that a place in the view comes from. */
  locate(start: number, end: number): { start: number; end: number };
}

const BASE64_RUN = /[A-Za-z0-9+/_-]+/g;
const MIN_RUN_CHARS = 24;
/** Base64 broken into lines, as tools print it. The look-behind keeps it from starting anew inside a long run. */
const WRAPPED_BASE64 = /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,76}\r?\n)+[A-Za-z0-9+/]{1,76}/g;
/** End of one string literal and start of the next, with what joins them. */
const SEAM = /["'`]\s{0,16}(?:[+.,&\\]\s{0,16})?["'`]/g;

/** The text itself, joined, and both again with base64 undone. */
export function viewsOf(text: string): View[] {
  const plain: View = { text, locate: (start, end) => ({ start, end }) };
  const joined = joinedView(text);
  return [plain, ...joined, ...[plain, ...joined].flatMap(decodedView)];
}

/** Every run that may be base64, undone at each of the four places at which its first quartet can begin. */
function decodedView(from: View): View[] {
  const pieces: Piece[] = [];
  const texts: string[] = [];
  let length = 0;
  const add = (run: string, start: number, end: number): void => {
    for (const skip of [0, 1, 2, 3]) {
      // A separator that no pattern spans keeps one run's end from completing the next one's start.
      const text = `${Buffer.from(run.slice(skip), 'base64').toString('latin1')}\n`;
      pieces.push({ at: length, start, end });
      texts.push(text);
      length += text.length;
    }
  };
  for (const { 0: run, index } of from.text.matchAll(BASE64_RUN)) {
    if (run.length >= MIN_RUN_CHARS) add(run, index, index + run.length);
  }
  for (const { 0: block, index } of from.text.matchAll(WRAPPED_BASE64)) {
    add(block.replace(/\s/g, ''), index, index + block.length);
  }
  if (pieces.length === 0) return [];
  return [
    {
      text: texts.join(''),
      locate(start) {
        const piece = lastAtOrBefore(pieces, start);
        return from.locate(piece?.start ?? 0, piece?.end ?? from.text.length);
      },
    },
  ];
}

/** The text with the seams between string literals taken out; nothing when there are none. */
function joinedView(text: string): View[] {
  const pieces: Piece[] = [{ at: 0, start: 0, end: 0 }];
  const texts: string[] = [];
  let length = 0;
  let from = 0;
  for (const seam of text.matchAll(SEAM)) {
    texts.push(text.slice(from, seam.index));
    length += seam.index - from;
    from = seam.index + seam[0].length;
    pieces.push({ at: length, start: from, end: from });
  }
  if (from === 0) return [];
  texts.push(text.slice(from));
  const toText = (place: number): number => {
    const piece = lastAtOrBefore(pieces, place);
    return place - (piece?.at ?? 0) + (piece?.start ?? 0);
  };
  return [
    {
      text: texts.join(''),
      locate: (start, end) => ({ start: toText(start), end: toText(end - 1) + 1 }),
    },
  ];
}

interface Piece {
  /** Where the piece begins in the view. */
  at: number;
  start: number;
  end: number;
}

function lastAtOrBefore(pieces: readonly Piece[], place: number): Piece | undefined {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.at ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return pieces[low - 1];
}
