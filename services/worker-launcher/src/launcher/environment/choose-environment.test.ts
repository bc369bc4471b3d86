import type { Environment } from '@sallyport/teams/environment/environment';
import { describe, expect, test } from 'vitest';
import {
  askOperator,
  isProblem,
  readOwnEnvironment,
  resolveEnvironment,
} from './choose-environment.ts';
import { readEnvironments, type Environments } from './read-environments.ts';

const ENVIRONMENT: Environment = {
  v: 1,
  commands: ['make'],
  lockfiles: ['Makefile'],
  produces: ['out'],
  env: {},
  timeoutMinutes: 15,
  network: 'none',
  registries: ['npm'],
};
const SETTINGS: Environments = {
  ...readEnvironments(undefined),
  registries: new Map([
    ['npm', { directory: '/srv/npm', repositories: null }],
    ['inner', { directory: '/srv/inner', repositories: new Set(['octo/repo']) }],
  ]),
  images: new Map([['node', `sha256:${'a'.repeat(64)}`]]),
  repositories: new Map([
    ['octo/given', ENVIRONMENT],
    ['octo/none', null],
  ]),
};

describe('whose word counts:', () => {
  test.each([
    ['the operator gives one', SETTINGS, 'Octo/Given', 'given'],
    ['the operator wants none', SETTINGS, 'octo/none', 'none'],
    ['the operator says nothing', SETTINGS, 'octo/repo', 'ask'],
    ['only the operator may', { ...SETTINGS, fromRepositories: false }, 'octo/repo', 'none'],
    [
      'only the operator may, and does',
      { ...SETTINGS, fromRepositories: false },
      'octo/given',
      'given',
    ],
  ] as const)('%s', (_, settings, repository, kind) => {
    expect(askOperator(settings, repository).kind).toBe(kind);
  });
});

function resolve(change: Partial<Environment>, repository = 'Octo/Repo'): object {
  return resolveEnvironment(SETTINGS, repository, { ...ENVIRONMENT, ...change }, 'repository');
}

test('registries are found by their names', () => {
  expect(resolve({ registries: ['npm', 'inner'] })).toMatchObject({
    from: 'repository',
    registries: [
      { name: 'npm', directory: '/srv/npm' },
      { name: 'inner', directory: '/srv/inner' },
    ],
  });
});

describe('what cannot be had is told with what to do:', () => {
  test.each<[string, Partial<Environment>, string, string]>([
    ['a way out', { network: 'registries' }, 'registry_egress_unavailable', 'write network: none'],
    ['an unknown registry', { registries: ['pip'] }, 'registry_unknown', 'there are: inner, npm'],
    ['an unknown image', { image: 'python' }, 'image_unknown', 'there are: node'],
    ['an image', { image: 'node' }, 'image_unavailable', 'leave image out'],
  ])('%s', (_, change, reason, mend) => {
    expect(resolve(change)).toEqual({ reason, message: expect.stringContaining(mend) });
  });

  test('a registry of others is not named, not even as one that is there', () => {
    expect(resolve({ registries: ['inner'] }, 'octo/other')).toEqual({
      reason: 'registry_unknown',
      message: expect.stringMatching(/there are: npm\)$/),
    });
  });
});

test("what is wrong in a repository's file is told with file, line and column", () => {
  const read = readOwnEnvironment(
    'v: 1\ncommands: [make]\nlockfiles: [a]\nproduces: [../b]\nx: 1\n',
  );
  if (!isProblem(read)) throw new Error('it was taken');
  expect(read.reason).toBe('file_unusable');
  expect(read.message.split('\n')).toEqual([
    expect.stringMatching(/^\.sallyport\/environment\.yaml:4:12: produces\.0/),
    expect.stringMatching(/^\.sallyport\/environment\.yaml:5:1: "x" is not known here/),
  ]);
});
