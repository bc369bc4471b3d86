/**
 * Takes out of a request what its readers on GitHub did not see: comments, and characters without a shape. Whoever
 * admitted the task judged the visible text; the agent must not be told more than that.
 */

/** A visible text, and how much was taken out of the one that was given. */
export interface SanitisedText {
  text: string;
  removedComments: number;
  removedCharacters: number;
}

export const MAX_REQUEST_CHARACTERS = 70_000;

// A link definition that nothing refers to is not rendered: "[//]: # (text)" is the usual way to write a comment.
const LINK_COMMENT =
  /^[ \t]{0,3}\[[^\]\n]*\]:[ \t]*<?#?>?[ \t]*(?:"[^\n]*"|'[^\n]*'|\([^\n]*\))[ \t]*$/gm;
// Format characters (zero-width, bidirectional, tags), controls, and whatever a renderer may ignore (variation
// selectors, fillers): each has been used to hide an instruction.
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Reduces a text from GitHub to what its page shows of it; never longer than MAX_REQUEST_CHARACTERS. */
export function sanitiseRequest(given: string): SanitisedText {
  let removedCharacters = 0;
  let removedComments = 0;
  const visible = given
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(INVISIBLE, (character) => {
      if (character === '\n' || character === '\t') return character;
      removedCharacters += 1;
      return '';
    });
  const withoutHtml = dropHtmlComments(visible, () => {
    removedComments += 1;
  });
  const text = withoutHtml.replace(LINK_COMMENT, () => {
    removedComments += 1;
    return '';
  });
  return { text: truncate(text), removedComments, removedCharacters };
}

/** Comments also count inside code: telling code from text as GitHub does is a parser to be fooled. */
function dropHtmlComments(text: string, onComment: () => void): string {
  let kept = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf('<!--', from);
    if (start === -1) return kept + text.slice(from);
    onComment();
    // The space keeps the two halves of a split "<!-" and "-" from becoming a comment again.
    kept += `${text.slice(from, start)} `;
    const end = text.indexOf('-->', start);
    // An open comment hides everything behind it.
    if (end === -1) return kept;
    from = end + 3;
  }
}

function truncate(text: string): string {
  if (text.length <= MAX_REQUEST_CHARACTERS) return text;
  return `${text.slice(0, MAX_REQUEST_CHARACTERS - 1).replace(LONE_SURROGATE, '')}…`;
}
