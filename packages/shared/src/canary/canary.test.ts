import { describe, expect, test } from 'vitest';
import { scrubSecrets } from '../scrub.ts';
import { createCanary } from './create-canary.ts';
import { canariesIn, createCanaryFinder } from './find-canaries.ts';

const canary = createCanary();
const other = createCanary();

test('a canary has the form of a token, a checksum that no token has, and no twin', () => {
  expect(canary).toMatch(/^ghs_[0-9A-Za-z]{36}$/);
  expect(canary.at(-6)).toBe('z');
  expect(other).not.toBe(canary);
});

test('no log can hold one: the scrubber takes it for what it looks like', () => {
  expect(scrubSecrets(`x ${canary} y`)).toBe('x [redacted] y');
});

const hex = Buffer.from(canary).toString('hex');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const DISGUISES: [string, string][] = [
  ['as it is', canary],
  ['in capitals', canary.toUpperCase()],
  ['reversed', Array.from(canary).toReversed().join('')],
  ['in hex', hex],
  ['in a dump', hex.replace(/(.{4})/g, '$1 ')],
  ['in hex with colons', hex.replace(/(..)(?=.)/g, '$1:')],
  ['in base64', base64(canary)],
  ['in base64 behind one byte', base64(`x${canary}`)],
  ['in base64 behind two bytes', base64(`xy${canary}z`)],
  ['in base64 for addresses', Buffer.from(`??>${canary}`).toString('base64url')],
  ['in base64 broken into lines', base64(`${'x'.repeat(40)}${canary}`).replace(/(.{20})/g, '$1\n')],
  ['escaped as in addresses', canary.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`)],
  ['with one sign escaped', canary.replace('_', '%5F')],
  ['escaped as in programs', canary.replace(/./g, (c) => `\\x${c.charCodeAt(0).toString(16)}`)],
  ['escaped as in JSON', canary.replace(/./g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)],
  ['escaped as in pages', canary.replace(/./g, (c) => `&#${c.charCodeAt(0)};`)],
  ['in two literals', `"${canary.slice(0, 9)}" + '${canary.slice(9)}'`],
  ['letter by letter', Array.from(canary).join('\u200b')],
  ['over the parts of a path', `${canary.slice(0, 20)}/${canary.slice(20)}`],
  ['beside a letter that grows when lowered', `İ ${canary}`],
];

describe('a canary is found', () => {
  const find = createCanaryFinder([canary]);
  test.each(DISGUISES)('%s', (_how, text) => {
    const found = find(`const a = ${text};`);
    expect(found.length).toBeGreaterThan(0);
    expect(canariesIn(`const a = ${text};`, [canary, other])).toEqual([canary]);
  });

  test.each(DISGUISES)('and the twin, another sandbox’s, is not: %s', (_how, text) => {
    expect(createCanaryFinder([other])(`const a = ${text};`)).toEqual([]);
  });
});

test('what is short is not looked for, and a part is not the whole', () => {
  expect(createCanaryFinder(['short'])('short')).toEqual([]);
  expect(createCanaryFinder([canary])(canary.slice(0, -1))).toEqual([]);
});

test('a plain hit has a place, a disguised one is the whole text', () => {
  const find = createCanaryFinder([canary]);
  expect(find(`ab${canary}`)).toEqual([{ start: 2, end: 42 }]);
  const spaced = Array.from(canary).join(' ');
  expect(find(spaced)).toEqual([{ start: 0, end: spaced.length }]);
});
