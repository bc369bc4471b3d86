import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { AppError } from '@sallyport/shared/errors';
import { describe, expect, it } from 'vitest';
import { readAppKeys } from './app-key.ts';

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pkcs1 = pair.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const pkcs8 = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

function problemOf(text: string): AppError {
  try {
    readAppKeys(text);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the key was taken');
}

describe('reading the App key', () => {
  const spellings: [string, string][] = [
    ['PKCS#1', pkcs1],
    ['PKCS#8', pkcs8],
    ['escaped line breaks', pkcs1.replaceAll('\n', '\\n')],
    ['carriage returns', pkcs1.replaceAll('\n', '\r\n')],
    ['escaped carriage returns', pkcs1.replaceAll('\n', '\\r\\n')],
    ['a byte order mark', `\uFEFF${pkcs1}`],
    ['double quotes', `"${pkcs1.trimEnd()}"`],
    ['single quotes', `'${pkcs1}'`],
    ['indentation', pkcs1.replaceAll(/^/gm, '    ')],
    ['one line with spaces', pkcs1.replaceAll('\n', ' ')],
    ['no final line break', pkcs1.trimEnd()],
    ['base64 of the file', Buffer.from(pkcs1).toString('base64')],
  ];
  it.each(spellings)('takes it with %s', (_, text) => {
    const [key] = readAppKeys(text);
    expect(key.fingerprint).toBe(readAppKeys(pkcs1)[0].fingerprint);
  });

  const hidden = pkcs1.split('\n')[3] ?? '';
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const refused: [string, string, RegExp][] = [
    ['nothing', '', /no whole PEM block/],
    ['a file cut short', pkcs1.slice(0, 600), /no whole PEM block/],
    ['a damaged body', pkcs1.replace(hidden, hidden.slice(4)), /does not decode/],
    [
      'an OpenSSH key',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----',
      /ssh-keygen -p -m PEM/,
    ],
    [
      'a public key',
      pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      /is a public key/,
    ],
    ['an EC key', ec.export({ type: 'sec1', format: 'pem' }).toString(), /sign with RSA/],
    ['an EC key in PKCS#8', ec.export({ type: 'pkcs8', format: 'pem' }).toString(), /of type ec/],
    [
      'an encrypted key',
      pair.privateKey
        .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
        .toString(),
      /encrypted/,
    ],
    ['three keys', pkcs1.repeat(3), /3 keys/],
    [
      'a short key',
      generateKeyPairSync('rsa', { modulusLength: 1024 })
        .privateKey.export({ type: 'pkcs1', format: 'pem' })
        .toString(),
      /1024 bits/,
    ],
  ];
  it.each(refused)('refuses %s, says how to mend it, and shows none of it', (_, text, problem) => {
    const { code, message } = problemOf(text);
    expect(code).toBe('bad_config');
    expect(message).toMatch(problem);
    expect(message).toMatch(/^GITHUB_APP_KEY_FILE: /);
    expect(message.includes(hidden)).toBe(false);
  });

  it('takes two keys in their order while one replaces the other', () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString();
    const keys = readAppKeys(`${other}\n${pkcs1}`);
    expect(keys.map((key) => key.fingerprint)).toEqual([
      readAppKeys(other)[0].fingerprint,
      readAppKeys(pkcs1)[0].fingerprint,
    ]);
  });
});

describe('signing', () => {
  it("makes a JWT that GitHub takes: from a minute ago, for less than ten minutes, by GitHub's clock", () => {
    const now = Math.floor(Date.now() / 1000);
    const { jwt } = readAppKeys(pkcs1)[0].createJwt(7, 120);
    const [header = '', payload = '', signature = ''] = jwt.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
      iat: number;
      exp: number;
      iss: string;
    };
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: 'RS256',
      typ: 'JWT',
    });
    expect(claims.iss).toBe('7');
    expect(Math.abs(claims.iat - (now + 120 - 60))).toBeLessThanOrEqual(2);
    expect(claims.exp - claims.iat).toBeLessThanOrEqual(600);
    const signed = Buffer.from(`${header}.${payload}`);
    expect(
      verify('sha256', signed, createPublicKey(pkcs1), Buffer.from(signature, 'base64url')),
    ).toBe(true);
  });

  it('does not show the key when it is printed', () => {
    const [key] = readAppKeys(pkcs1);
    expect(JSON.stringify(key)).toBe(JSON.stringify({ fingerprint: key.fingerprint }));
  });
});
