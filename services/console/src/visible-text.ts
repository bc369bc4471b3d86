/**
 * Characters that a reader cannot see, or that reorder what he sees, as characters that he can see. Titles, logins and
 * reasons come from outside; a page must show what is there and not what its author wants to be read.
 */

// Control characters but tab and newline; soft hyphen; bidirectional and zero-width marks; line separators; lone halves.
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** The text with every invisible character shown by its number, as `⟨U+202E⟩`. Tab and newline stay. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/**
 * The text that is shown so: what somebody was shown by its number in a field, and sends back, is what it was. NUL and half
 * a pair stay numbers, since no file could hold them.
 */
export function fromVisibleText(text: string): string {
  return text.replace(/⟨U\+([0-9A-F]{4,6})⟩/g, (shown, digits: string) => {
    const code = Number.parseInt(digits, 16);
    if (code === 0 || code > 0x10_ff_ff || (code >= 0xd8_00 && code <= 0xdf_ff)) return shown;
    const character = String.fromCodePoint(code);
    return visibleText(character) === shown ? character : shown;
  });
}
