import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureSecret, ensureSecrets, writeSecret } from './secrets.ts';

let root = '';
let dir = '';
beforeEach(() => {
  root = mkdtempSync('/tmp/sp-test-secrets-');
  dir = join(root, 'secrets');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('ensureSecrets', () => {
  it('makes files that only their owner can read, in a directory that only its owner can enter', () => {
    const files = ensureSecrets(dir);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    for (const file of Object.values(files)) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toHaveLength(Object.keys(files).length);
  });

  it('makes each secret once', () => {
    const read = () => Object.values(ensureSecrets(dir)).map((file) => readFileSync(file, 'utf8'));
    const first = read();
    expect(read()).toEqual(first);
    expect(new Set(first).size).toBe(first.length);
  });

  it('makes a ticket key pair whose halves belong together', () => {
    const files = ensureSecrets(dir);
    const signature = sign(
      null,
      Buffer.from('ticket'),
      createPrivateKey(readFileSync(files.ticketPrivateKey)),
    );
    const key = createPublicKey(readFileSync(files.ticketPublicKey));
    expect(key.asymmetricKeyType).toBe('ed25519');
    expect(verify(null, Buffer.from('ticket'), key, signature)).toBe(true);
  });
});

describe('ensureSecret and writeSecret', () => {
  it('keep and replace an existing secret, respectively', () => {
    const path = ensureSecret(dir, 'name', () => 'first');
    ensureSecret(dir, 'name', () => 'second');
    expect(readFileSync(path, 'utf8')).toBe('first');
    writeSecret(dir, 'name', 'third');
    expect(readFileSync(path, 'utf8')).toBe('third');
  });
});
