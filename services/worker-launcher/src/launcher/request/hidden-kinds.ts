/** What can be hidden in a text on GitHub, by kind, and how it is counted. What was hidden is never told, only how much. */

export const HIDDEN_KINDS = [
  'html_comment',
  /** Declarations, processing instructions, character data: no browser shows them. */
  'html_declaration',
  'html_attribute',
  /** The text that stands for an image, which is seen when there is no image. */
  'image_text',
  'link_title',
  /** A definition that no link refers to. */
  'link_definition',
  'footnote',
  /** What stands behind the name of a language at the head of a code block. */
  'fence_info',
  'diagram_comment',
  'phantom_formula',
  'zero_width',
  'bidirectional',
  'tag_character',
  'variation_selector',
  'control',
  'invisible',
] as const;
export type HiddenKind = (typeof HIDDEN_KINDS)[number];

/** How often each kind was taken out; what is not there was not found. */
export type Removed = Partial<Record<HiddenKind, number>>;

export type Count = (kind: HiddenKind, times?: number) => void;

/** A count that begins empty. */
export function createCount(): { removed: Removed; count: Count } {
  const removed: Removed = {};
  return {
    removed,
    count(kind, times = 1) {
      removed[kind] = (removed[kind] ?? 0) + times;
    },
  };
}

/** The counts of several texts together. */
export function sumRemoved(all: readonly Removed[]): Removed {
  const { removed, count } = createCount();
  for (const one of all) {
    for (const kind of HIDDEN_KINDS) {
      const times = one[kind];
      if (times !== undefined) count(kind, times);
    }
  }
  return removed;
}
