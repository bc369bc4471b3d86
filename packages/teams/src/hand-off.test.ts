import { describe, expect, test } from 'vitest';
import { HAND_OFF_MAX_BYTES, parseHandOff } from './hand-off.ts';

const GOOD = {
  v: 1,
  outcome: 'done',
  summary: 'Mended the parser.',
  findings: [
    { path: 'src/a b.ts', line: 3, endLine: 4, severity: 'warning', reason: 'off by one' },
  ],
  claims: { testsPassed: true, costUsd: 0.2, note: null },
};

function parse(value: unknown): ReturnType<typeof parseHandOff> {
  return parseHandOff(Buffer.from(JSON.stringify(value)));
}
function withFinding(over: Record<string, unknown>): unknown {
  return { ...GOOD, findings: [{ ...GOOD.findings[0], ...over }] };
}

describe('a hand-off', () => {
  test('in its right form is taken as it is', () => {
    expect(parse(GOOD)).toEqual({ ok: true, handOff: GOOD });
  });

  test.each([
    ['an unknown field', { ...GOOD, extra: 1 }],
    ['an unknown outcome', { ...GOOD, outcome: 'great' }],
    ['another version', { ...GOOD, v: 2 }],
    ['a missing summary', { ...GOOD, summary: undefined }],
    ['a nested claim', { ...GOOD, claims: { a: { b: 1 } } }],
    ['a line of zero', withFinding({ line: 0 })],
    ['an end before its line', withFinding({ endLine: 2 })],
    ['a list', [GOOD]],
  ])('with %s is refused as badly shaped', (_, value) => {
    expect(parse(value)).toMatchObject({ ok: false, problem: 'bad_shape' });
  });

  test.each([
    '/etc/passwd',
    '../x',
    'a/../../x',
    './a',
    'a//b',
    'a\\b',
    'a\nb',
    '',
    '.git/config',
    'a/.GIT/x',
    'x/',
  ])('with the path %j is refused', (path) => {
    expect(parse(withFinding({ path }))).toMatchObject({ ok: false, problem: 'bad_shape' });
  });

  test.each(['a', 'a/b.c', '..a/b', '.github/x', 'ä/ö', ' a'])(
    'with the path %j is taken',
    (path) => {
      expect(parse(withFinding({ path }))).toMatchObject({ ok: true });
    },
  );

  test('of exactly the permitted size is taken and one byte more is refused', () => {
    const bytes = Buffer.from(JSON.stringify(GOOD));
    const full = Buffer.concat([bytes, Buffer.alloc(HAND_OFF_MAX_BYTES - bytes.byteLength, ' ')]);
    expect(parseHandOff(full)).toMatchObject({ ok: true });
    expect(parseHandOff(Buffer.concat([full, Buffer.from(' ')]))).toMatchObject({
      problem: 'too_large',
    });
  });

  test('that is no text, or no JSON, is refused as such', () => {
    expect(parseHandOff(Buffer.from([0x7b, 0xff, 0x7d]))).toMatchObject({ problem: 'not_utf8' });
    expect(parseHandOff(Buffer.from('{'))).toMatchObject({ problem: 'not_json' });
    expect(parseHandOff(Buffer.from('['.repeat(200_000)))).toMatchObject({ problem: 'not_json' });
  });

  test('nested as deep as its size allows is refused without exhausting the reader', () => {
    const deep = '['.repeat(120_000) + ']'.repeat(120_000);
    expect(parseHandOff(Buffer.from(deep))).toMatchObject({ problem: 'bad_shape' });
    const claim = `{"v":1,"outcome":"done","summary":"","findings":[],"claims":{"a":${'['.repeat(100_000) + ']'.repeat(100_000)}}}`;
    expect(parseHandOff(Buffer.from(claim))).toMatchObject({ problem: 'bad_shape' });
  });

  test('is refused in words that do not repeat what it says', () => {
    const parsed = parse({ ...GOOD, 'sk-secret-field': 1 });
    expect(parsed).toMatchObject({ ok: false });
    expect(JSON.stringify(parsed)).not.toContain('sk-secret');
  });
});
