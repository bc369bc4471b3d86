import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readAgents } from './read-agents.ts';

const directory = mkdtempSync(join(tmpdir(), 'agents-test-'));
afterAll(() => rmSync(directory, { recursive: true }));

function read(value: unknown): ReturnType<typeof readAgents> {
  const file = join(directory, 'agents.json');
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return readAgents(file);
}

const GOOD = {
  argv: ['/agent/run', '--auto'],
  mounts: [{ host: '/opt/agent', inside: '/agent' }],
  env: { MODE: 'auto' },
};

test('what the operator wrote is what an agent gets, and what was left out is empty', () => {
  expect(read({ good: GOOD, bare: { argv: ['/agent/run'] } })).toEqual(
    new Map<string, unknown>([
      ['good', { ...GOOD, readOnly: false }],
      ['bare', { argv: ['/agent/run'], mounts: [], env: {}, readOnly: false }],
    ]),
  );
});

test('an agent that the operator restricts is read-only in every step', () => {
  expect(read({ good: { ...GOOD, readOnly: true } }).get('good')?.readOnly).toBe(true);
});

test.each<[string, unknown, RegExp]>([
  ['a program without a path', { ...GOOD, argv: ['run'] }, /good\.argv\.0: give an absolute path/],
  ['no program', { ...GOOD, argv: [] }, /good\.argv/],
  [
    'a mount over the tree',
    { ...GOOD, mounts: [{ host: '/opt/agent', inside: '/work/x' }] },
    /good\.mounts\.0\.inside: must lie outside/,
  ],
  [
    'the whole host',
    { ...GOOD, mounts: [{ host: '/', inside: '/agent' }] },
    /good\.mounts\.0\.host/,
  ],
  [
    'a path that leads elsewhere',
    { ...GOOD, mounts: [{ host: '/opt/../etc', inside: '/agent' }] },
    /good\.mounts\.0\.host/,
  ],
  [
    'a credential',
    { ...GOOD, env: { KEY: `sk-${'a1'.repeat(12)}` } },
    /good\.env\.KEY: looks like a credential/,
  ],
  ['an unknown field', { ...GOOD, network: 'host' }, /good: .*network/],
])('%s is refused by name', (_, agent, words) => {
  expect(() => read({ good: agent })).toThrow(words);
});

test('a file that is no JSON is refused with what to write', () => {
  expect(() => read('{')).toThrow(/AGENTS_FILE: .*agents\.json is no JSON \(.+\); write/);
});
