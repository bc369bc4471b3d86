/** Addresses that came from outside, made a link only when they are one that a browser merely visits. */
import { html, type SafeHtml } from '../html.ts';

/** The pull request; as text where its address is no web address (a `javascript:` address would be run). */
export function pullLink(number: number | null, url: string | null): SafeHtml {
  if (number === null) return html``;
  if (url === null || !isWebAddress(url)) return html`#${number}`;
  return html`<a href="${url}" rel="noreferrer noopener">#${number}</a>`;
}

function isWebAddress(text: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(text).protocol);
  } catch {
    return false;
  }
}
