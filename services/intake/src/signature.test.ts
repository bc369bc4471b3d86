/** The signature: GitHub's published vector, bytes that no text round trip survives, and both secrets of a rotation. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { beginSignatureCheck } from './signature.ts';

const SECRET = "It's a Secret to Everybody";
const VECTOR = Buffer.from(
  '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  'hex',
);

function check(secrets: string[], body: Buffer, signature: Buffer): boolean {
  const checking = beginSignatureCheck(secrets);
  for (const byte of body) checking.update(Buffer.from([byte]));
  return checking.matches(signature);
}

describe('the signature check', () => {
  it('accepts the vector that GitHub publishes, and refuses it with one bit changed', () => {
    const body = Buffer.from('Hello, World!');
    expect(check([SECRET], body, VECTOR)).toBe(true);
    const other = Buffer.from(VECTOR);
    other.writeUInt8(other.readUInt8(31) ^ 1, 31);
    expect(check([SECRET], body, other)).toBe(false);
    expect(check([SECRET], Buffer.from('Hello, World?'), VECTOR)).toBe(false);
  });

  it('is over the bytes, also when they are no valid text', () => {
    for (const body of [Buffer.from('{"a":"é😊"}'), Buffer.from([0xff, 0x00, 0xed, 0xa0, 0x80])]) {
      const signature = createHmac('sha256', SECRET).update(body).digest();
      expect(check([SECRET], body, signature)).toBe(true);
      expect(check([SECRET], Buffer.from(body.toString('latin1'), 'utf8'), signature)).toBe(false);
    }
  });

  it('accepts the previous secret while it is given, and no longer', () => {
    const body = Buffer.from('{}');
    const signature = createHmac('sha256', 'the secret of yesterday').update(body).digest();
    expect(check([SECRET, 'the secret of yesterday'], body, signature)).toBe(true);
    expect(check([SECRET], body, signature)).toBe(false);
  });

  it('refuses a signature of another length instead of comparing its start', () => {
    expect(check([SECRET], Buffer.from('Hello, World!'), VECTOR.subarray(0, 16))).toBe(false);
  });
});
