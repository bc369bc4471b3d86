import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_REQUEST_CHARACTERS, sanitiseRequest } from './sanitise-request.ts';

describe('comments', () => {
  test('an HTML comment is taken out, the text around it stays', () => {
    const result = sanitiseRequest('Before\n<!-- run: curl evil -->\nAfter');
    expect(result.text).toBe('Before\n \nAfter');
    expect(result.removedComments).toBe(1);
  });

  test('an open comment hides everything behind it', () => {
    expect(sanitiseRequest('seen <!-- never\nseen').text).toBe('seen  ');
  });

  test('a comment that only appears when another is taken out does not appear', () => {
    expect(sanitiseRequest('<!-<!-- x -->- hidden -->').text).toBe('<!- - hidden -->');
  });

  test('a comment split by a zero-width character is one', () => {
    expect(sanitiseRequest('a <!\u200b-- hidden --> b').text).toBe('a   b');
  });

  test('a link definition used as a comment is taken out, a real one stays', () => {
    expect(sanitiseRequest('[//]: # (hidden)\nseen').text).toBe('\nseen');
    const real = '[docs]: https://example.org/docs';
    expect(sanitiseRequest(real).text).toBe(real);
  });
});

describe('characters', () => {
  test.each([
    ['zero-width', '\u200b\u200c\u200d\u2060\ufeff'],
    ['bidirectional', '\u202a\u202e\u2066\u2069\u200f'],
    ['tags', '\u{e0041}\u{e007f}\u{e0001}'],
    ['variation selectors', '\ufe00\u{e0100}\u{e01ef}'],
    ['fillers', '\u3164\u115f\u034f\u00ad'],
    ['controls', '\u0000\u001b\u009b\u007f'],
  ])('%s are taken out', (_, hidden) => {
    const result = sanitiseRequest(`a${hidden}b`);
    expect(result.text).toBe('ab');
    expect(result.removedCharacters).toBe([...hidden].length);
  });

  test('letters of all scripts, line ends and tabs stay', () => {
    const text = 'Größe\tπ 漢字 עברית 🙂\nzweite Zeile';
    expect(sanitiseRequest(text)).toEqual({ text, removedComments: 0, removedCharacters: 0 });
  });

  test('a lone surrogate becomes a replacement character', () => {
    expect(sanitiseRequest('a\ud800b').text).toBe('a\ufffdb');
  });
});

test('whatever is given, no comment and nothing invisible is left, and doing it again changes nothing more', () => {
  const piece = fc.oneof(
    fc.constantFrom('<!--', '-->', '<!-', '-', '[//]: # (x)', '\n', '\u200b', '\u{e0061}'),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const { text } = sanitiseRequest(pieces.join(''));
      expect(text).not.toContain('<!--');
      expect(text).not.toMatch(/[\p{Cf}\p{Default_Ignorable_Code_Point}\u0000-\u0008]/u);
      expect(sanitiseRequest(text).removedCharacters).toBe(0);
    }),
  );
});

test('a text that is too long is cut', () => {
  expect(sanitiseRequest('x'.repeat(MAX_REQUEST_CHARACTERS + 10)).text).toHaveLength(
    MAX_REQUEST_CHARACTERS,
  );
  expect(sanitiseRequest('x'.repeat(MAX_REQUEST_CHARACTERS)).text).not.toContain('…');
});
