import { expect, test } from 'vitest';
import { storableJson, storableText } from './storable.ts';

test('what Postgres refuses is replaced, everything else stays', () => {
  expect(storableText('a\u0000b\ud800c')).toBe('a\ufffdb\ufffdc');
  expect(storableText('größer 🙂\n')).toBe('größer 🙂\n');
});

test('strings at every depth are made storable, other values stay', () => {
  const value = {
    'n\u0000': ['x\u0000', 1, true, null, { deep: 'ghp_0123456789abcdef0123456789abcdef0123' }],
  };
  expect(storableJson(value)).toEqual({
    'n\ufffd': ['x\ufffd', 1, true, null, { deep: '[redacted]' }],
  });
});

test('a field that is named like a prototype is a field and nothing else', () => {
  const value = storableJson(JSON.parse('{"__proto__": {"polluted": true}}'));
  expect(Object.keys(value as object)).toEqual(['__proto__']);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
