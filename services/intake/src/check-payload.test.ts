/** What signed bytes must look like to be stored: parsed when small, looked at when large. */
import { describe, expect, it } from 'vitest';
import { checkPayload } from './check-payload.ts';
import { SMALL_BODY_BYTES } from './limits.ts';
import { Refusal } from './refusal.ts';

function accepts(contentType: 'json' | 'form', body: string | Buffer): boolean {
  try {
    checkPayload(contentType, Buffer.from(body as string));
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_json') return false;
    throw error;
  }
}

describe('checkPayload', () => {
  it.each([
    '{}',
    ' {"a":"é😊"}\r\n',
    '{"a":"\\u0000\\ud800"}',
    '{"a":1.0,"a":2}',
    '{"a":"\u2028"}',
  ])('accepts the object %s', (body) => {
    expect(accepts('json', body)).toBe(true);
  });

  it.each([
    '',
    ' ',
    'Hello, World!',
    '[]',
    '"{}"',
    'null',
    '{',
    '{"a":1',
    '{} {}',
    '{"a":"\u0000"}',
  ])('refuses %j', (body) => {
    expect(accepts('json', body)).toBe(false);
  });

  it('refuses bytes that are no UTF-8', () => {
    expect(accepts('json', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBe(false);
  });

  it('wants a form to carry an object in its field payload', () => {
    expect(accepts('form', `payload=${encodeURIComponent('{"a":"é"}')}`)).toBe(true);
    expect(accepts('form', 'payload=%7B%22a%22%3A+1%7D')).toBe(true);
    expect(accepts('form', 'payload=')).toBe(false);
    expect(accepts('form', 'payload=nothing')).toBe(false);
    expect(accepts('form', 'body=%7B%7D')).toBe(false);
    expect(accepts('form', '{}')).toBe(false);
  });

  it('looks at the ends of a large body and leaves the rest to the gate', () => {
    const filling = 'x'.repeat(SMALL_BODY_BYTES);
    expect(accepts('json', ` {"a":"${filling}"} \n`)).toBe(true);
    expect(accepts('json', `{"a":"${filling}`)).toBe(false);
    expect(accepts('json', `["${filling}"]`)).toBe(false);
    expect(accepts('json', ' '.repeat(SMALL_BODY_BYTES + 1))).toBe(false);
    expect(accepts('form', `payload=%7B%22a%22%3A%22${filling}%22%7D`)).toBe(true);
    expect(accepts('form', `other=%7B%22a%22%3A%22${filling}%22%7D`)).toBe(false);
  });
});
