/**
 * Reads the headers of a webhook request. The signature does not cover them, so they are bounded, never trusted: they
 * name and sort the delivery, and the gate compares the event's name with the payload's shape.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { DeliveryContentType } from '@sallyport/shared/db/delivery';
import { Refusal } from './refusal.ts';

export interface DeliveryHeaders {
  event: string;
  guid: string;
  targetType: string;
  targetId: string;
  contentType: DeliveryContentType;
  /** The 32 bytes that the sender claims as signature. */
  signature: Buffer;
  /** What is kept beside the body, for people. */
  kept: Record<string, string>;
}

const PATTERNS = {
  // With digits: GitHub has events named projects_v2 and the like.
  'x-github-event': [/^[a-z][a-z0-9_]{0,63}$/, '1 to 64 lower-case letters, digits and _'],
  'x-github-delivery': [/^[\x21-\x7e]{1,64}$/, '1 to 64 visible characters'],
  'x-github-hook-installation-target-type': [/^[a-z_]{1,64}$/, '1 to 64 lower-case letters and _'],
  'x-github-hook-installation-target-id': [/^[0-9]{1,20}$/, '1 to 20 digits'],
} as const;
const SIGNATURE_PATTERN = /^sha256=([0-9a-f]{64})$/;
const CONTENT_TYPES: Record<string, DeliveryContentType> = {
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
};
const KEPT = [
  ...Object.keys(PATTERNS),
  'x-github-hook-id',
  'x-github-enterprise-host',
  'x-github-enterprise-version',
  'user-agent',
  'content-type',
];
const KEPT_CHARS = 256;

/** The headers of a delivery. @throws Refusal `bad_headers`, `unsupported_content_type` or `bad_signature`. */
export function readDeliveryHeaders(headers: IncomingHttpHeaders): DeliveryHeaders {
  const contentType = readContentType(headers);
  const event = read(headers, 'x-github-event');
  const guid = read(headers, 'x-github-delivery');
  const targetType = read(headers, 'x-github-hook-installation-target-type');
  const targetId = read(headers, 'x-github-hook-installation-target-id');
  const signature = readSignature(headers);
  return { event, guid, targetType, targetId, contentType, signature, kept: keep(headers) };
}

function read(headers: IncomingHttpHeaders, name: keyof typeof PATTERNS): string {
  const [pattern, expected] = PATTERNS[name];
  const value = headers[name];
  if (typeof value === 'string' && pattern.test(value)) return value;
  const problem = value === undefined ? 'is missing' : `must be ${expected}`;
  throw new Refusal('bad_headers', `the header ${name} ${problem}`);
}

function readContentType(headers: IncomingHttpHeaders): DeliveryContentType {
  const media = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const contentType = Object.hasOwn(CONTENT_TYPES, media) ? CONTENT_TYPES[media] : undefined;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (contentType === undefined || encoding !== 'identity') {
    throw new Refusal(
      'unsupported_content_type',
      `send ${Object.keys(CONTENT_TYPES).join(' or ')}, without a content-encoding`,
    );
  }
  return contentType;
}

function readSignature(headers: IncomingHttpHeaders): Buffer {
  const value = headers['x-hub-signature-256'];
  const match = typeof value === 'string' ? SIGNATURE_PATTERN.exec(value) : null;
  if (match?.[1] === undefined) {
    const problem =
      value === undefined ? 'is missing' : 'must be sha256= and 64 lower-case hex digits';
    throw new Refusal('bad_signature', `the header x-hub-signature-256 ${problem}`);
  }
  return Buffer.from(match[1], 'hex');
}

function keep(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const value = headers[name];
    if (typeof value === 'string') kept[name] = value.slice(0, KEPT_CHARS);
  }
  return kept;
}
