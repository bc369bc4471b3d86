import type { Environment } from '@sallyport/teams/environment/environment';
import { describe, expect, test } from 'vitest';
import { environmentKey, hostIdentity, type KeyParts } from './environment-key.ts';

const ENVIRONMENT: Environment = {
  v: 1,
  commands: [['npm', 'ci']],
  lockfiles: ['package-lock.json'],
  produces: ['node_modules'],
  env: { A: '1', B: '2' },
  timeoutMinutes: 15,
  network: 'none',
  registries: ['npm'],
};
const PARTS: KeyParts = {
  repositoryId: 22,
  baseRef: 'main',
  environment: ENVIRONMENT,
  lockfiles: [{ path: 'package-lock.json', sha256: 'a'.repeat(64) }],
  registries: [{ name: 'npm', directory: '/srv/npm' }],
  host: ['bubblewrap', 'x64', 'v24.0.0', 'ID=debian'],
};

describe('another key comes of', () => {
  test.each<[string, Partial<KeyParts>]>([
    ['another repository', { repositoryId: 23 }],
    ['another branch', { baseRef: 'next' }],
    ['another command', { environment: { ...ENVIRONMENT, commands: [['npm', 'i']] } }],
    ['the same words as one', { environment: { ...ENVIRONMENT, commands: ['npm ci'] } }],
    ['another variable', { environment: { ...ENVIRONMENT, env: { A: '1', B: '3' } } }],
    ['another product', { environment: { ...ENVIRONMENT, produces: ['vendor'] } }],
    ['another lockfile', { lockfiles: [{ path: 'package-lock.json', sha256: 'b'.repeat(64) }] }],
    ['another registry', { registries: [{ name: 'npm', directory: '/srv/other' }] }],
    ['another Node', { host: ['bubblewrap', 'x64', 'v25.0.0', 'ID=debian'] }],
  ])('%s', (_, change) => {
    expect(environmentKey({ ...PARTS, ...change })).not.toBe(environmentKey(PARTS));
  });
});

describe('the same key comes of', () => {
  test.each<[string, Partial<KeyParts>]>([
    ['nothing else', {}],
    ['variables in another order', { environment: { ...ENVIRONMENT, env: { B: '2', A: '1' } } }],
    ['more time', { environment: { ...ENVIRONMENT, timeoutMinutes: 30 } }],
  ])('%s', (_, change) => {
    expect(environmentKey({ ...PARTS, ...change })).toBe(environmentKey(PARTS));
  });
});

test('this host has a driver, an architecture and a Node', () => {
  const host = hostIdentity('bubblewrap', undefined);
  expect(host.slice(0, 3)).toEqual(['bubblewrap', process.arch, process.version]);
});

test('where sandboxes are made from an image, the image says what programs there are', () => {
  expect(hostIdentity('docker', 'sha256:1')).toEqual(['docker', process.arch, 'sha256:1']);
});
