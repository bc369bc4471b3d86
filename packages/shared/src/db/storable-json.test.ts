/** Texts that jsonb refuses become texts that it takes; all others stay as they are. */
import { expect, it } from 'vitest';
import { storableJson } from './storable-json.ts';

it('replaces NUL and lone surrogates wherever they stand, and nothing else', () => {
  const value = { a: ['x\0y', '\ud800', 'é😊', '\\u0000'], b: { c: '\udfff!' }, n: 1, z: null };
  expect(JSON.parse(storableJson(value))).toEqual({
    a: ['x\ufffdy', '\ufffd', 'é😊', '\\u0000'],
    b: { c: '\ufffd!' },
    n: 1,
    z: null,
  });
});
