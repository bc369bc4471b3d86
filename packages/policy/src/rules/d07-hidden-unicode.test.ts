import { describe, expect, test } from 'vitest';
import { makeChange, makeInput } from '../testing/make-change.ts';
import { hiddenUnicode } from './d07-hidden-unicode.ts';
import { measureCpuMs, megabyteOf } from '../testing/measure-cpu.ts';

async function ask(path: string, text: string, old: string | null = null): Promise<string[]> {
  const findings = await hiddenUnicode.check(makeInput([makeChange(path, old, text)]));
  return findings.map(({ severity, code, line }) => `${severity} ${code} ${line}`);
}

describe('hidden text', () => {
  test.each([
    ['a right-to-left override', 'if (admin) { \u202e }', 'if (admin) { }'],
    ['an isolate', 'a\u2066b', 'ab'],
    ['a zero width space', 'a\u200bb', 'a b'],
    ['a joiner outside an emoji', 'a\u200db', 'ab'],
    ['tag characters', 'a\u{e0069}\u{e0067}', 'aig'],
    ['a soft hyphen', 'pass\u00adword', 'pass-word'],
    ['a Hangul filler', 'const \u3164 = 1', 'const x = 1'],
    ['a variation selector', 'a\ufe00', 'a'],
    ['a supplementary variation selector', 'a\u{e0100}', 'a'],
    ['a byte order mark inside', 'a\ufeffb', 'ab'],
    ['a line separator', 'a\u2028b', 'a b'],
  ])('%s is refused in code and held in prose, its twin passes', async (_what, bad, good) => {
    expect(await ask('src/a.ts', `ok\n${bad}\n`)).toEqual(['block hidden_unicode 2']);
    expect(await ask('docs/a.md', `ok\n${bad}\n`)).toEqual(['hold hidden_unicode 2']);
    expect(await ask('src/a.ts', `ok\n${good}\n`)).toEqual([]);
  });

  test.each(['❤️ thanks', 'a family: 👨‍👩‍👧', '👩🏽‍💻', 'naïve café', '日本語', 'العربية'])(
    'visible text passes in prose: %s',
    async (text) => {
      expect(await ask('README.md', text)).toEqual([]);
    },
  );

  test('a byte order mark may begin a file and nothing else', async () => {
    expect(await ask('a.ts', '\ufeffconst a = 1;\n')).toEqual([]);
    expect(await ask('a.ts', 'x\n\ufeffconst a = 1;\n')).toEqual(['block hidden_unicode 2']);
  });

  test('what was there before is not blamed on the change', async () => {
    expect(await ask('a.ts', 'a\u200bb\nnew\n', 'a\u200bb\n')).toEqual([]);
    expect(await ask('a.ts', 'a\u200bb\nn\u200bew\n', 'a\u200bb\n')).toEqual([
      'block hidden_unicode 2',
    ]);
  });

  test.each([
    ['an escape sequence', '\u001b[2K', '[2K'],
    ['a carriage return inside a line', 'rm -rf /\recho', 'rm -rf / echo'],
    ['a C1 control', 'a\u009bb', 'ab'],
  ])('%s is refused, its twin passes', async (_what, bad, good) => {
    expect(await ask('a.sh', bad)).toEqual(['block control_character 1']);
    expect(await ask('a.sh', good)).toEqual([]);
  });

  test('tabs and Windows line ends pass', async () => {
    expect(await ask('a.sh', '\ta\r\nb\r\n')).toEqual([]);
  });

  test.each([
    ['Cyrillic in a Latin word', 'let pаssword', 'let password'],
    ['a Greek lookalike in a Latin word', 'let usεr = νalue', 'let user = value'],
  ])('%s is refused, its twin passes', async (_what, bad, good) => {
    expect(await ask('a.ts', bad)).toEqual(['block mixed_script 1']);
    expect(await ask('a.ts', good)).toEqual([]);
  });

  test.each(['const Δt = 5', '10 μs', 'пароль = 1', 'λ = 2'])(
    'honest letters pass: %s',
    async (text) => {
      expect(await ask('a.ts', text)).toEqual([]);
    },
  );

  test.each(['requirements.txt', 'CMakeLists.txt', 'a.mdx'])('%s counts as code', async (path) => {
    expect(await ask(path, 'a\u200bb')).toEqual(['block hidden_unicode 1']);
  });

  test.each(['locales/fa.json', 'po/fa.po'])('%s counts as translation', async (path) => {
    expect(await ask(path, 'می\u200cخواهم')).toEqual(['hold hidden_unicode 1']);
  });
});

describe('hostile megabytes', () => {
  test.each(['a', '\u200d', '👨\u200d', 'а', '_', '\r', '❤️'])(
    'a megabyte of %j is read within two seconds of processor time',
    async (unit) => {
      const text = megabyteOf(unit);
      expect(await measureCpuMs(() => ask('a.md', text))).toBeLessThan(2_000);
    },
  );
});
