/** Takes definitions of links and footnotes out that nothing refers to: no page shows them, and so they make a good comment. */
import type { Count } from './hidden-kinds.ts';

const DEFINITION =
  /^[ \t]{0,3}\[((?:[^[\]\\\n]|\\.){1,999})\]:[ \t]*\n?[ \t]*(<[^<>\n]{0,2000}>|\S{1,4000})?((?:[ \t]+|[ \t]*\n[ \t]*)(?:"(?:[^"\\]|\\[^]){0,2000}"|'(?:[^'\\]|\\[^]){0,2000}'|\((?:[^()\\]|\\[^]){0,2000}\)))?[ \t]*$/gm;
const FOOTNOTE =
  /^[ \t]{0,3}\[\^([^[\]\s]{1,999})\]:[^\n]*(?:\n(?:[ \t]{2,}[^\n]*|[ \t]*(?=\n[ \t]{2,})))*/gm;
const BRACKETS = /\[((?:[^[\]\\\n]|\\.){1,999})\](?!:)/g;

/** The labels that a text refers to. */
export function usedLabels(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(BRACKETS)].map((found) => labelOf(found[1] ?? '')));
}

/** The text with the definitions that are used, and these without their titles. */
export function dropDefinitions(text: string, used: ReadonlySet<string>, count: Count): string {
  return text
    .replace(FOOTNOTE, (whole, label: string) => {
      if (used.has(labelOf(`^${label}`))) return whole;
      count('footnote');
      return '';
    })
    .replace(DEFINITION, (whole, label: string, target: string | undefined, title?: string) => {
      if (label.startsWith('^') || target === undefined) return whole;
      if (!used.has(labelOf(label)) || /^<?#?>?$/.test(target)) {
        count('link_definition');
        return '';
      }
      if (title === undefined) return whole;
      count('link_title');
      return `[${label}]: ${target}`;
    });
}

function labelOf(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}
