import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readStrictJson } from './strict-json.ts';

const read = (text: string): unknown => readStrictJson(Buffer.from(text));

test('what has one reading is read as everybody reads it', () => {
  const text = '{"a":[1,-2.5e3,"x\\u00e9\\n",{}],"b":{"c":null,"d":true,"e":[]}} ';
  expect(read(text)).toEqual(JSON.parse(text));
});

test.each([
  ['two keys alike', '{"a":1,"a":1}', '{"a":1,"b":1}'],
  [
    'keys that differ in their case',
    '{"HostConfig":1,"hostconfig":1}',
    '{"HostConfig":1,"hostconfigs":1}',
  ],
  ['keys alike further down', '[{"a":{"b":1,"B":1}}]', '[{"a":{"b":1},"b":1}]'],
  ['a key alike by an escape', '{"a":1,"\\u0061":1}', '{"a":1,"\\u0062":1}'],
  ['a letter that folds to another', '{"\u212aey":1}', '{"Key":1}'],
  ['a prototype', '{"__proto__":1}', '{"proto":1}'],
  ['a comma too many', '[1,]', '[1]'],
  ['a comment', '{/**/}', '{}'],
  ['a second value', '{}{}', '{}'],
  ['a number written otherwise', '[01]', '[1]'],
  ['a bare word', '[NaN]', '[null]'],
  ['a line break in a string', '["a\nb"]', '["a\\nb"]'],
  ['an unknown escape', '["\\x41"]', '["\\u0041"]'],
  ['a byte order mark', '\ufeff{}', '{}'],
  ['nothing', '', '0'],
  ['an end that is missing', '{"a":1', '{"a":1}'],
  ['too many levels', '['.repeat(18) + ']'.repeat(18), '['.repeat(16) + ']'.repeat(16)],
])('%s is refused', (_, hostile, twin) => {
  expect(() => read(hostile)).toThrow('the body is no plain JSON');
  expect(read(twin)).toBeDefined();
});

test('bytes that are no UTF-8 are refused', () => {
  expect(() => readStrictJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow('no UTF-8');
});

test('a body of a million brackets neither ends the process nor takes long', () => {
  expect(() => read('['.repeat(1_000_000))).toThrow('too deep');
});

test('whatever is taken is what the platform reads, and is taken again when written anew', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      let value: unknown;
      try {
        value = read(text);
      } catch {
        return;
      }
      expect(value).toEqual(JSON.parse(text));
      expect(read(JSON.stringify(value))).toEqual(value);
    }),
  );
});
