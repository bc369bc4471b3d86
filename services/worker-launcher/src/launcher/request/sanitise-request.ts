/**
 * Reduces a text from GitHub to what its page shows of it. Whoever admitted the task judged the visible text; the agent
 * must not be told more than that, and is told how much was taken out.
 */
import { splitRegions, type Region } from './code-regions.ts';
import { dropDefinitions, usedLabels } from './drop-definitions.ts';
import { dropHiddenInline } from './drop-hidden-inline.ts';
import { dropInvisible } from './drop-invisible.ts';
import { createCount, type Count, type Removed } from './hidden-kinds.ts';

/** A visible text, and how much of each kind was taken out of the one that was given. */
export interface SanitisedText {
  text: string;
  removed: Removed;
}

export const MAX_REQUEST_CHARACTERS = 70_000;
/** Beyond this a text is cut unread; GitHub takes far less. */
const MAX_READ = 300_000;
const MAX_PASSES = 6;

/**
 * The text as its readers see it; never longer than MAX_REQUEST_CHARACTERS. Text that does not come to rest, because taking
 * one thing out always uncovers another, is left out as a whole.
 */
export function sanitiseRequest(given: string): SanitisedText {
  const { removed, count } = createCount();
  let text = given.slice(0, MAX_READ);
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const next = truncate(reduce(text, count));
    if (next === text) return { text, removed };
    text = next;
  }
  return { text: '', removed };
}

function reduce(given: string, count: Count): string {
  const visible = dropComments(dropInvisible(given, count), count);
  const used = usedLabels(visible);
  return splitRegions(visible)
    .map((region) =>
      region.kind === 'code'
        ? reduceCode(region, count)
        : dropDefinitions(dropHiddenInline(region, count), used, count),
    )
    .join('\n');
}

/** Comments also count inside code: telling code from text as GitHub does is a parser to be fooled. */
function dropComments(text: string, count: Count): string {
  let kept = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf('<!--', from);
    if (start === -1) return kept + text.slice(from);
    count('html_comment');
    // The space keeps the two halves of a split "<!-" and "-" from becoming a comment again.
    kept += `${text.slice(from, start)} `;
    const end = text.indexOf('-->', start);
    // An open comment hides everything behind it.
    if (end === -1) return kept;
    from = end + 3;
  }
}

const FENCE_LINE = /^( {0,3}(?:`{3,}|~{3,})[ \t]*[A-Za-z0-9_+#.-]{0,30})(.*)$/;

/** A block of code is seen as it is, but for what follows the name of its language, and the comments of a diagram. */
function reduceCode({ lines: [first = '', ...rest] }: Region, count: Count): string {
  const [, fence = first, info = ''] = FENCE_LINE.exec(first) ?? [];
  if (info.trim() !== '') count('fence_info');
  const isDiagram = /mermaid$/i.test(fence);
  const body = rest.filter((line) => {
    const isComment = isDiagram && /^\s*%%/.test(line);
    if (isComment) count('diagram_comment');
    return !isComment;
  });
  return [fence, ...body].join('\n');
}

const LONE_SURROGATE = /\p{Surrogate}/gu;

function truncate(text: string): string {
  if (text.length <= MAX_REQUEST_CHARACTERS) return text;
  return `${text.slice(0, MAX_REQUEST_CHARACTERS - 1).replace(LONE_SURROGATE, '')}…`;
}
