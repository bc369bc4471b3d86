import { expect, it } from 'vitest';
import { createLogger } from './log.ts';
import { scrubSecrets } from './scrub.ts';

// Assembled here, so that no scanner takes this file for a leak.
const CLASSIC = `ghs_${'a1B2'.repeat(9)}`;
const STATELESS = ['ghs_12345_eyJhbGciOi', 'payload123', 'signature-_4'].join('.');
const PEM = ['-----BEGIN RSA PRIVATE ', 'KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----'].join('');

it.each([
  ['the classic token format', `token ${CLASSIC} end`, 'token [redacted] end'],
  ['the stateless token format', `token ${STATELESS} end`, 'token [redacted] end'],
  ['a PEM block', `key ${PEM} end`, 'key [redacted] end'],
  ['a PEM block cut short', `key ${PEM.slice(0, 40)}`, 'key [redacted]'],
  ['a model key', `key sk-ant-${'abcd'.repeat(8)} end`, 'key [redacted] end'],
  ['a password in a URL', 'postgresql://user:hunter2@db/x', 'postgresql://user:[redacted]@db/x'],
])('removes %s', (_, text, expected) => {
  expect(scrubSecrets(text)).toBe(expected);
});

it('leaves ordinary text alone', () => {
  const text =
    'ghs is short, https://github.com/o/r/pull/1, sha 0123456789abcdef0123456789abcdef01234567, a:b@c';
  expect(scrubSecrets(text)).toBe(text);
});

it('keeps credentials out of every log line, under whatever name they come', () => {
  const lines: string[] = [];
  const log = createLogger('test', 'info', { write: (line: string) => void lines.push(line) });
  log.info(
    { deep: { er: CLASSIC }, err: new Error(`push with ${STATELESS}`), token: 'opaque' },
    `minted ${CLASSIC}`,
  );
  const line = lines.join('');
  for (const secret of [CLASSIC, STATELESS, 'opaque']) expect(line).not.toContain(secret);
  expect(line).toContain('[redacted]');
});
