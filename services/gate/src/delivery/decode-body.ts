/** From the stored bytes of a delivery to the JSON object in them, or the reason why there is none. Never throws. */
import { isUtf8 } from 'node:buffer';
import type { DeliveryContentType } from '@sallyport/shared/db/delivery';

export type DecodedBody =
  | { ok: true; payload: Readonly<Record<string, unknown>> }
  | { ok: false; reason: 'not_utf8' | 'not_json' | 'not_an_object' };

export function decodeBody(contentType: DeliveryContentType, body: Buffer): DecodedBody {
  if (!isUtf8(body)) return { ok: false, reason: 'not_utf8' };
  const text = body.toString('utf8');
  const json = contentType === 'json' ? text : (new URLSearchParams(text).get('payload') ?? '');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { ok: false, reason: 'not_json' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, reason: 'not_an_object' };
  }
  return { ok: true, payload: value as Record<string, unknown> };
}
