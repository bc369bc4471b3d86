/**
 * Takes characters without a shape out of a text, also where they are spelled as references that a browser resolves. Each
 * kind of them has been used to write to a machine over the heads of its readers.
 */
import type { Count, HiddenKind } from './hidden-kinds.ts';

// Format characters, controls, whatever a renderer may ignore, and the one blank letter that is neither.
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const OTHER_SPACE = /(?! )\p{Zs}/gu;
/** Joined and coloured pictures: reduced to their parts, and nothing worth telling. */
const PICTURE =
  /\p{Extended_Pictographic}(?:\ufe0f|\u200d|\p{Emoji_Modifier}|\p{Extended_Pictographic})*/gu;
const PICTURE_JOINS = /\ufe0f|\u200d/gu;
/** More of them are no picture but a message. */
const MAX_PICTURE_JOINS = 12;
const NUMBERED = /&#(?:x([0-9a-f]{1,8})|(\d{1,8}));?/gi;
const NAMED =
  /&(ZeroWidthSpace|NegativeVeryThinSpace|NegativeThinSpace|NegativeMediumSpace|NegativeThickSpace|NoBreak|shy|lrm|rlm|zwj|zwnj|InvisibleTimes|it|InvisibleComma|ic|ApplyFunction|af);/g;

const KINDS: readonly [HiddenKind, RegExp][] = [
  ['zero_width', /[\u180e\u200b-\u200d\u2060-\u2064\ufeff]/u],
  ['bidirectional', /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u],
  ['tag_character', /[\u{e0000}-\u{e007f}]/u],
  ['variation_selector', /[\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u],
  ['control', /\p{Cc}/u],
];

/** The text in which every character is seen, with line feeds and tabs alone among the controls. */
export function dropInvisible(text: string, count: Count): string {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(PICTURE, (picture) => {
      const joins = picture.match(PICTURE_JOINS)?.length ?? 0;
      return joins > MAX_PICTURE_JOINS ? picture : picture.replace(PICTURE_JOINS, '');
    })
    .replace(NUMBERED, (whole, hex: string | undefined, decimal: string | undefined) =>
      dropReference(
        whole,
        Number.parseInt(hex ?? decimal ?? '', hex === undefined ? 10 : 16),
        count,
      ),
    )
    .replace(NAMED, (_, name: string) => {
      count(/^(?:lrm|rlm)$/.test(name) ? 'bidirectional' : 'zero_width');
      return '';
    })
    .replace(INVISIBLE, (character) => dropCharacter(character, count))
    .replace(OTHER_SPACE, ' ');
}

function dropReference(whole: string, code: number, count: Count): string {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return whole;
  const character = String.fromCodePoint(code);
  return character.match(INVISIBLE) === null ? whole : dropCharacter(character, count, whole);
}

function dropCharacter(character: string, count: Count, kept = character): string {
  if (character === '\n' || character === '\t') return kept;
  const kind = KINDS.find(([, pattern]) => pattern.test(character))?.[0] ?? 'invisible';
  count(kind);
  return character === '\u2800' ? ' ' : '';
}
