/**
 * Whether a request that changes something comes from a page of this console. Browsers say where a form was sent from;
 * one that says nothing at all is not believed.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** `Sec-Fetch-Site` and `Origin`: each that is there must agree, and one of them must be there. */
export function isFromOwnPage(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site === undefined && origin === undefined) return false;
  if (site !== undefined && site !== 'same-origin') return false;
  return origin === undefined || hostOf(origin) === ownHost(headers);
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}

// A proxy may put its own upstream's name into Host. No page can make a browser send X-Forwarded-Host across sites.
function ownHost(headers: IncomingHttpHeaders): string | undefined {
  const forwarded = headers['x-forwarded-host'];
  return typeof forwarded === 'string' ? forwarded.split(',')[0]?.trim() : headers.host;
}
