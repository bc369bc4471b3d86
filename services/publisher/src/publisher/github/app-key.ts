/**
 * The App's private key: read once, in every spelling in which such files reach a server, and proven to sign before the
 * service says that it is ready. Held as key objects, which neither print nor serialise; a second key may follow the
 * first in the file while one replaces the other.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { AppError } from '@sallyport/shared/errors';

export interface AppKey {
  /** Base64 of the SHA-256 of the public half, as GitHub shows it on the App's page. */
  fingerprint: string;
  /** A JWT of the App, valid from a minute ago for nine minutes from now. `offsetSeconds`: GitHub's clock minus ours. */
  createJwt(appId: number, offsetSeconds?: number): { jwt: string; expiresAt: string };
}

const MAX_KEYS = 2;
const MIN_RSA_BITS = 2048;
const ISSUED_BEFORE_SECONDS = 60;
const EXPIRES_AFTER_SECONDS = 540;
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g;
const MENDS: Readonly<Record<string, string>> = {
  'OPENSSH PRIVATE KEY':
    'it is in OpenSSH format; convert it with "ssh-keygen -p -m PEM -N \'\' -f FILE"',
  'ENCRYPTED PRIVATE KEY': 'it is encrypted; decrypt it with "openssl pkey -in FILE -out NEW"',
  'PUBLIC KEY': 'it is a public key; give the private key that GitHub generated for the App',
  'RSA PUBLIC KEY': 'it is a public key; give the private key that GitHub generated for the App',
  CERTIFICATE: 'it is a certificate; give the private key that GitHub generated for the App',
  'EC PRIVATE KEY': "it is an EC key; GitHub Apps sign with RSA: generate a key on the App's page",
};

/**
 * Reads one key, or two of which the first signs and the second is tried when GitHub refuses the first.
 * @throws AppError `bad_config` that says what is wrong with the file and how to mend it; never shows its content.
 */
export function readAppKeys(text: string): readonly [AppKey, ...AppKey[]] {
  const blocks = [...normalise(text).matchAll(BLOCK)];
  if (blocks.length === 0) {
    refuse(
      'it holds no whole PEM block; give the .pem file that GitHub generated, from BEGIN to END',
    );
  }
  if (blocks.length > MAX_KEYS)
    refuse(`it holds ${blocks.length} keys; give the new one, and the old one while rotating`);
  const [first, ...rest] = blocks.map(([, label = '', body = '']) => readKey(label, body));
  if (first === undefined) refuse('it holds no key');
  return [first, ...rest];
}

/** Undoes what editors, shells and secret stores do to line breaks: marks, quotes, escapes, carriage returns, indents. */
function normalise(text: string): string {
  const plain = text
    .replace(/^\uFEFF/, '')
    .replace(/\\r/g, '')
    .replace(/\\n/g, '\n')
    .replace(/["']/g, '');
  if (plain.includes('-----BEGIN')) return plain;
  // Some secret stores keep files as base64; of anything else this makes no PEM block.
  return Buffer.from(plain, 'base64').toString('latin1');
}

function readKey(label: string, body: string): AppKey {
  const mend = MENDS[label];
  if (mend !== undefined) refuse(mend);
  if (/Proc-Type|ENCRYPTED/.test(body)) refuse(MENDS['ENCRYPTED PRIVATE KEY'] ?? '');
  const lines = body.replace(/\s/g, '').match(/.{1,64}/g) ?? [];
  let key: KeyObject;
  try {
    key = createPrivateKey(
      `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`,
    );
  } catch (cause) {
    refuse('the PEM block does not decode; copy the file again, whole and unchanged', cause);
  }
  if (key.asymmetricKeyType !== 'rsa') {
    refuse(
      `it is a key of type ${key.asymmetricKeyType}; GitHub Apps sign with RSA: generate a key on the App's page`,
    );
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < MIN_RSA_BITS) refuse(`the key has ${bits} bits; generate a new one on the App's page`);
  const publicKey = createPublicKey(key);
  const probe = Buffer.from('probe');
  if (!verify('sha256', probe, publicKey, sign('sha256', probe, key)))
    refuse('a signature made with it does not verify');
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return {
    fingerprint: createHash('sha256').update(der).digest('base64'),
    createJwt: (appId, offsetSeconds = 0) => signJwt(key, appId, offsetSeconds),
  };
}

function signJwt(
  key: KeyObject,
  appId: number,
  offsetSeconds: number,
): { jwt: string; expiresAt: string } {
  const now = Math.floor(Date.now() / 1000) + offsetSeconds;
  const exp = now + EXPIRES_AFTER_SECONDS;
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: now - ISSUED_BEFORE_SECONDS, exp, iss: String(appId) })}`;
  const signature = sign('sha256', Buffer.from(signed), key).toString('base64url');
  return { jwt: `${signed}.${signature}`, expiresAt: new Date(exp * 1000).toISOString() };
}

function refuse(problem: string, cause?: unknown): never {
  throw new AppError('bad_config', `GITHUB_APP_KEY_FILE: ${problem}`, { cause });
}
