/** Headers: what a delivery must carry, and that each missing or ill-formed one is named. */
import { describe, expect, it } from 'vitest';
import { readDeliveryHeaders } from './delivery-headers.ts';

const GOOD = {
  'x-github-event': 'issue_comment',
  'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  'x-github-hook-installation-target-type': 'integration',
  'x-github-hook-installation-target-id': '1234',
  'x-hub-signature-256': `sha256=${'ab'.repeat(32)}`,
  'content-type': 'application/json',
  'user-agent': 'GitHub-Hookshot/abc',
};

function codeOf(
  headers: Record<string, string | undefined>,
): { code: string; message: string } | null {
  try {
    readDeliveryHeaders({ ...GOOD, ...headers });
    return null;
  } catch (error) {
    return error as { code: string; message: string };
  }
}

describe('readDeliveryHeaders', () => {
  it('reads what GitHub sends and keeps only the known headers', () => {
    const read = readDeliveryHeaders({
      ...GOOD,
      authorization: 'Bearer x',
      'x-hub-signature': 'sha1=1',
    });
    expect(read).toMatchObject({ event: 'issue_comment', targetId: '1234', contentType: 'json' });
    expect(read.signature).toEqual(Buffer.from('ab'.repeat(32), 'hex'));
    expect(Object.keys(read.kept)).not.toContain('authorization');
    expect(Object.keys(read.kept)).not.toContain('x-hub-signature-256');
    expect(read.kept['user-agent']).toBe('GitHub-Hookshot/abc');
  });

  it.each([
    ['x-github-event', 'issue-comment'],
    ['x-github-event', 'a'.repeat(65)],
    ['x-github-event', '2fa'],
    ['x-github-event', 'Issues'],
    ['x-github-event', undefined],
    ['x-github-delivery', ''],
    ['x-github-delivery', 'g'.repeat(65)],
    ['x-github-delivery', 'a, b'],
    ['x-github-delivery', undefined],
    ['x-github-hook-installation-target-type', 'Integration'],
    ['x-github-hook-installation-target-type', undefined],
    ['x-github-hook-installation-target-id', '12x'],
    ['x-github-hook-installation-target-id', '1'.repeat(21)],
  ])('refuses %s: %s and names the header', (name, value) => {
    expect(codeOf({ [name]: value })).toMatchObject({ code: 'bad_headers' });
    expect(codeOf({ [name]: value })?.message).toContain(name);
  });

  it('accepts names and GUIDs of exactly the longest length, and names with digits', () => {
    expect(codeOf({ 'x-github-event': 'projects_v2_item' })).toBeNull();
    expect(
      codeOf({ 'x-github-event': 'a'.repeat(64), 'x-github-delivery': 'g'.repeat(64) }),
    ).toBeNull();
    expect(codeOf({ 'x-github-delivery': 'g' })).toBeNull();
  });

  it.each([
    undefined,
    '',
    'sha256=',
    `sha256=${'a'.repeat(63)}`,
    `sha256=${'a'.repeat(65)}`,
    `SHA256=${'a'.repeat(64)}`,
    `sha256=${'A'.repeat(64)}`,
    `sha256=${'g'.repeat(64)}`,
    `sha1=${'a'.repeat(40)}`,
    `sha256=${'a'.repeat(64)}, sha256=${'a'.repeat(64)}`,
  ])('refuses the signature %s', (value) => {
    expect(codeOf({ 'x-hub-signature-256': value })).toMatchObject({ code: 'bad_signature' });
  });

  it.each([
    undefined,
    '',
    'text/plain',
    'application/jsonp',
    'constructor',
    'multipart/form-data; boundary=x',
  ])('refuses the content type %s', (value) => {
    expect(codeOf({ 'content-type': value })).toMatchObject({ code: 'unsupported_content_type' });
  });

  it.each([
    ['application/json; charset=utf-8', 'json'],
    ['Application/JSON', 'json'],
    ['application/x-www-form-urlencoded', 'form'],
  ])('takes %s for %s', (value, contentType) => {
    expect(readDeliveryHeaders({ ...GOOD, 'content-type': value }).contentType).toBe(contentType);
  });

  it('refuses a compressed body, of which the signature would be over other bytes', () => {
    expect(codeOf({ 'content-encoding': 'gzip' })).toMatchObject({
      code: 'unsupported_content_type',
    });
    expect(codeOf({ 'content-encoding': 'identity' })).toBeNull();
  });
});
