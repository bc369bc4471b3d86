/**
 * Whether signed bytes can be a payload at all: one JSON object, in UTF-8, or a form with one in its field `payload`.
 * Small bodies are parsed in full. For large ones a parse would hold the event loop for half a second, while GitHub
 * waits on every other connection; there the ends are looked at, and the gate, which parses everything, has the last word.
 */
import { isUtf8 } from 'node:buffer';
import type { DeliveryContentType } from '@sallyport/shared/db/delivery';
import { SMALL_BODY_BYTES } from './limits.ts';
import { Refusal } from './refusal.ts';

const FORM_FIELD = Buffer.from('payload=');
const BYTE = {
  tab: 0x09,
  lineFeed: 0x0a,
  carriageReturn: 0x0d,
  space: 0x20,
  open: 0x7b,
  close: 0x7d,
};

/** @throws Refusal `not_json` that says what is wrong. */
export function checkPayload(contentType: DeliveryContentType, body: Buffer): void {
  if (contentType === 'form') checkForm(body);
  else checkJson(body);
}

function checkForm(body: Buffer): void {
  if (!body.subarray(0, FORM_FIELD.length).equals(FORM_FIELD)) {
    throw new Refusal('not_json', 'the form must begin with the field payload=');
  }
  if (body.length > SMALL_BODY_BYTES) return;
  const payload = new URLSearchParams(body.toString('utf8')).get('payload') ?? '';
  if (!isObjectText(payload))
    throw new Refusal('not_json', 'the field payload is not a JSON object');
}

function checkJson(body: Buffer): void {
  if (!isUtf8(body)) throw new Refusal('not_json', 'the body is not UTF-8');
  const whole =
    body.length <= SMALL_BODY_BYTES ? isObjectText(body.toString('utf8')) : hasObjectEnds(body);
  if (!whole) throw new Refusal('not_json', 'the body is not a JSON object');
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function hasObjectEnds(body: Buffer): boolean {
  let first = 0;
  let last = body.length - 1;
  while (isSpace(body[first])) first += 1;
  while (isSpace(body[last])) last -= 1;
  return body[first] === BYTE.open && body[last] === BYTE.close && first < last;
}

function isSpace(byte: number | undefined): boolean {
  return (
    byte === BYTE.space ||
    byte === BYTE.lineFeed ||
    byte === BYTE.carriageReturn ||
    byte === BYTE.tab
  );
}
