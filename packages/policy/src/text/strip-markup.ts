/**
 * Takes out what GitHub would render or hide: HTML comments, tags, images, and the character references by which a text can
 * spell a character that it does not contain.
 */

const MAX_ROUNDS = 32;

/** The text without HTML comments; one that is not closed reaches to the end, as it does when rendered. */
export function removeComments(text: string): string {
  let clean = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = clean.replace(/<!--[\s\S]*?(?:-->|$)/g, '');
    if (next === clean) return clean;
    clean = next;
  }
  return clean.replaceAll('<!--', '');
}

const IMAGE = /!\[([^[\]]{0,500})\](?:\([^()]{0,2000}\)|\[[^[\]]{0,500}\])/g;
/** A name and then white space, a slash or the end: an address in angle brackets is no tag. */
const TAG = /<\/?[A-Za-z][\w-]{0,100}(?=[\s/>])[^<>]{0,2000}>/g;

/** A stretch of text outside code without images and tags; the alternative text of an image stays. */
export function stripTags(text: string): string {
  return text.replace(IMAGE, '$1').replace(/!+\[/g, '[').replace(TAG, '');
}

/** The stretch with every `<` and every character reference made plain text. References for `<>&"` stay as they are. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('<', '&lt;')
    .replace(/&(?=#\w|(?!(?:lt|gt|amp|quot);)[A-Za-z][A-Za-z0-9]{0,40};)/g, '&amp;');
}
