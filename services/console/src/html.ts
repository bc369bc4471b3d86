/**
 * HTML as a tagged template in which every value is escaped, wherever it comes from. There is no way to ask for less:
 * only what this tag itself made is put in unescaped, and only what it made can be sent as a page.
 */
import { visibleText } from './visible-text.ts';

class Html {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}
/** A piece of a page. Made by `html` alone. */
export type SafeHtml = Html;
export type HtmlValue =
  | string
  | number
  | null
  | undefined
  | false
  | SafeHtml
  | readonly HtmlValue[];

/** Lists are joined; null, undefined and false are nothing. Attribute values must stand in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): SafeHtml {
  return new Html(parts.map((part, i) => (i === 0 ? part : show(values[i - 1]) + part)).join(''));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function show(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return (value as readonly HtmlValue[]).map(show).join('');
  return visibleText(String(value)).replace(/[&<>"'`]/g, (c) => ENTITIES[c] ?? '');
}
