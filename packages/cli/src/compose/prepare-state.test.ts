import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTemporaryDirectory, type TemporaryDirectory } from '../local/temporary.ts';
import { prepareState, type PrepareOptions } from './prepare-state.ts';
import { CONTAINER_UIDS, planSecrets } from './secret-plan.ts';

const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString();

let temporary: TemporaryDirectory;
let dir = '';
let appKeyFile = '';
beforeEach(() => {
  temporary = createTemporaryDirectory();
  dir = join(temporary.path, 'state');
  appKeyFile = join(temporary.path, 'key.pem');
  writeFileSync(appKeyFile, KEY);
});
afterEach(() => temporary.remove());

const given = new Map<string, number>();
const notes: string[] = [];
function prepare(options: Partial<PrepareOptions> = {}): number {
  given.clear();
  notes.length = 0;
  return prepareState({
    dir,
    deployment: 'test',
    appKeyFile,
    examples: {},
    note: (text) => notes.push(text),
    give: (path, uid) => given.set(path.replace(/\.[0-9a-f]{12}$/, ''), uid),
    ...options,
  });
}
const secret = (path: string): string => readFileSync(join(dir, 'secrets', path), 'utf8');

describe('prepareState', () => {
  it('writes each secret for its container’s user alone', () => {
    prepare();
    for (const { container, file } of planSecrets()) {
      const path = join(dir, 'secrets', container, file);
      expect(statSync(path).mode & 0o777).toBe(0o400);
      expect(given.get(path)).toBe(CONTAINER_UIDS[container]);
    }
    expect(statSync(join(dir, 'secrets')).mode & 0o777).toBe(0o700);
  });

  it('changes nothing the second time, also without the key', () => {
    prepare();
    const before = secret('gate/ticket-key');
    expect(prepare({ appKeyFile: undefined })).toBe(0);
    expect(secret('gate/ticket-key')).toBe(before);
    expect(notes).toEqual([]);
  });

  it('makes a lost or altered file again as it was', () => {
    prepare();
    const before = [secret('intake/database-url'), secret('redis/users.acl')];
    rmSync(join(dir, 'secrets/intake/database-url'));
    rmSync(join(dir, 'secrets/redis/users.acl'));
    writeFileSync(join(dir, 'secrets/redis/users.acl'), 'user default on nopass ~* +@all\n');
    expect(prepare()).toBe(2);
    expect([secret('intake/database-url'), secret('redis/users.acl')]).toEqual(before);
  });

  it('keeps the App’s key for the publisher alone, and does not replace it', () => {
    prepare();
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    writeFileSync(appKeyFile, other.export({ type: 'pkcs1', format: 'pem' }));
    expect(prepare()).toBe(0);
    expect(secret('publisher/github-app-key')).toBe(KEY);
    expect(notes.join()).toContain('kept the App key');
    const holders = readdirSync(join(dir, 'secrets'), { recursive: true, encoding: 'utf8' }).filter(
      (name) =>
        statSync(join(dir, 'secrets', name)).isFile() && secret(name).includes('RSA PRIVATE'),
    );
    expect(holders).toEqual(['publisher/github-app-key']);
  });

  it('gives those who check tickets the public half of the gate’s key', () => {
    prepare();
    const half = createPublicKey(createPrivateKey(secret('gate/ticket-key')))
      .export({ type: 'spki', format: 'pem' })
      .toString();
    for (const name of ['worker-launcher', 'publisher', 'importer'])
      expect(secret(`${name}/ticket-public-keys`)).toBe(half);
  });

  it('leaves Redis no user without a name, and no password in its list', () => {
    prepare();
    const users = secret('redis/users.acl');
    expect(users).toMatch(/^user default off$/m);
    const { username, password } = new URL(secret('gate/redis-url'));
    expect(users).toMatch(new RegExp(`^user ${username} reset on #[0-9a-f]{64} `, 'm'));
    expect(users).not.toContain(password);
  });

  it('refuses a directory of another deployment', () => {
    prepare();
    expect(() => prepare({ deployment: 'other' })).toThrow(/belongs to deployment test/);
    expect(prepare({ deployment: 'test' })).toBe(0);
  });

  it('refuses to begin without a key, or with a file that holds none, and leaves no secret', () => {
    expect(() => prepare({ appKeyFile: undefined })).toThrow(/--app-key/);
    writeFileSync(appKeyFile, 'no key\n');
    expect(() => prepare()).toThrow(/no private key/);
    expect(existsSync(join(dir, 'secrets/publisher'))).toBe(false);
    writeFileSync(appKeyFile, KEY);
    expect(prepare()).toBeGreaterThan(20);
  });

  it('copies an example once and leaves what the operator made of it', () => {
    const example = join(temporary.path, 'example.json');
    writeFileSync(example, '{}');
    prepare({ examples: { 'agents.json': example }, configOwner: { uid: 1000, gid: 1000 } });
    const copy = join(dir, 'config/agents.json');
    expect([given.get(join(dir, 'config')), given.get(copy)]).toEqual([1000, 1000]);
    expect(readFileSync(copy, 'utf8')).toBe('{}');
    writeFileSync(copy, '{"mine": 1}');
    expect(prepare({ examples: { 'agents.json': example } })).toBe(0);
    expect(readFileSync(copy, 'utf8')).toBe('{"mine": 1}');
  });
});
