import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { composeBody, quoteText } from './compose-body.ts';
import { cleanBody, cleanTitle, MAX_BODY_CHARS } from './text.ts';
import { measureCpuMs, megabyteOf } from './testing/measure-cpu.ts';

const body = (raw: string, closesIssue: number | null = null): string =>
  cleanBody(raw, { closesIssue }).text;
const title = (raw: string, closesIssue: number | null = null): string =>
  cleanTitle(raw, { closesIssue }).text;
const token = `ghs_1234567_${'eyJ'}hbGciOiJIUzI1NiJ9.${'eyJ'}pc3MiOiIxMjM0NTY3In0.c2lnbmF0dXJlLXNpZ25hdHVyZQ`;

describe('cleaning a body', () => {
  test.each([
    ['plain words', 'Adds a check.\n\n- one\n- two', 'Adds a check.\n\n- one\n- two'],
    ['code in a line', 'Calls `sum(a, b)` twice', 'Calls `sum(a, b)` twice'],
    [
      'a fence',
      'See:\n\n```ts\nconst a = `<b>` // @x\n```\nDone.',
      'See:\n\n```ts\nconst a = `<b>` // @x\n```\nDone.',
    ],
    ['an address', 'Write to me@example.com', 'Write to me@example.com'],
    ['a path at the start of a line', '/usr/bin/env is used', '/usr/bin/env is used'],
    ['emoji', 'Thanks ❤️', 'Thanks ❤️'],
    ['a link', '[docs](https://example.com/a)', '[docs](https://example.com/a)'],
  ])('leaves %s alone', (_what, raw, expected) => {
    expect(body(raw)).toBe(expected);
  });

  test.each([
    ['a mention', 'ping @octocat now', 'ping `@octocat` now'],
    ['a team', 'cc @acme/core-team.', 'cc `@acme/core-team.`'],
    ['a mention in brackets', '(@octocat)', '(`@octocat`)'],
    ['a mention behind emphasis', '_a_@octocat', '_a_ `@octocat`'],
    ['an escaped mention', String.raw`\@octocat`, '`@octocat`'],
    [
      'a mention by character reference',
      'hi &#64;octocat &commat;octocat',
      'hi &amp;#64;octocat &amp;commat;octocat',
    ],
    ['a mention behind a stray backtick', 'a ` b @octocat', "a ' b `@octocat`"],
    ['a mention in a table cell that splits a span', '| `a | @octocat` |', '| `a ¦ @octocat` |'],
    ['a comment', 'a<!-- hidden @octocat -->b', 'ab'],
    ['a comment over lines', 'a\n<!--\n```\nrun this\n-->\nb', 'a\n\nb'],
    ['a comment that is not closed', 'a <!-- hidden', 'a'],
    ['a comment made of comments', '<!<!-- -->-- hidden -->a', 'a'],
    ['a tag', 'a <img src="https://evil.example/x.png"> b <b>c</b>', 'a  b c'],
    ['half a tag', 'a <img src=x', 'a &lt;img src=x'],
    ['an image', '![alt text](https://evil.example/p.png)', 'alt text'],
    ['an image by reference', '![alt][ref] !![x]', 'alt [x]'],
    ['a command', '/approve', '`/approve`'],
    ['a command with words', 'ok\n  /ok-to-test now', 'ok\n  `/ok-to-test` now'],
    ['a command in a fence', '```\n/merge\n```', '```\n`/merge`\n```'],
    ['a trailer', 'Co-authored-by: A <a@example.com>', '`Co-authored-by`: A &lt;a@example.com>'],
    ['a skip mark', 'Adds x [skip ci]', 'Adds x (no skip)'],
    ['hidden characters', 'a\u200bb\u202ec\u{e0041}d\u0007', 'abcd'],
    ['Windows and odd line ends', 'a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
    ['a fence of tildes', '~~~\n```\n@x\n~~~', '````\n```\n@x\n````'],
    ['a fence that is not closed', '```\ncode', '```\ncode\n```'],
    [
      'a fence in a list, which the next line would end',
      '- a\n  ```\n@octocat\n  ```',
      '- a\n```\n@octocat\n```',
    ],
    ['a quotation that opens a fence', '> ```\n@octocat', "> '''\n`@octocat`"],
    ['a formula', '$$\n@octocat\n$$', '$\n`@octocat`\n$'],
    ['a token', `see ${token} there`, 'see [redacted] there'],
    [
      'a token split by a tag',
      `see ${token.slice(0, 30)}<b></b>${token.slice(30)}`,
      'see [redacted]',
    ],
  ])('disarms %s', (_what, raw, expected) => {
    expect(body(raw)).toBe(expected);
  });

  test.each([
    ['Fixes #12', 'Fixes #12'],
    ['Fixes: #12', 'Fixes: #12'],
    ['Fixes #123', 'see #123'],
    ['Fixes #1', 'see #1'],
    ['_Fixes #1_', '_see #1_'],
    ['prefixes #1', 'prefixes #1'],
    ['closes acme/other#12', 'see acme/other#12'],
    ['RESOLVED https://github.com/acme/app/issues/12', 'see https://github.com/acme/app/issues/12'],
    ['fixes GH-12', 'see GH-12'],
    ['fixes **#13**', 'see **#13**'],
    ['fixes <b></b>#13', 'see #13'],
    ['fixes\n#13', 'see\n#13'],
    ['fix fixes #13', 'fix see #13'],
    ['prefixes #13', 'prefixes #13'],
    ['fixes the thing', 'fixes the thing'],
  ])("of closing keywords only the ticket's stays: %j", (raw, expected) => {
    expect(body(raw, 12)).toBe(expected);
  });

  test('without an issue of the ticket none stays', () => {
    expect(body('Fixes #12')).toBe('see #12');
  });

  test('a canary raises its own note, in base64 too', () => {
    const canary = 'cnry-7f3a9b2e5d8c1f60';
    const seen = cleanBody(`x ${Buffer.from(canary).toString('base64')} y`, { canaries: [canary] });
    expect(seen).toEqual({ text: 'x [redacted] y', notes: ['canary_seen'] });
    expect(cleanBody('x y', { canaries: [canary] })).toEqual({ text: 'x y', notes: [] });
  });
});

describe('cutting', () => {
  test('ten thousand characters stay, one more is cut and said', () => {
    expect(cleanBody('word '.repeat(2_000).trim()).notes).toEqual([]);
    const long = cleanBody('word '.repeat(2_001).trim());
    expect(long.notes).toEqual(['cut']);
    expect(long.text.length).toBeLessThanOrEqual(10_000);
    expect(long.text.endsWith('word\n\n[cut here: the text was longer]')).toBe(true);
  });

  test('a fence that is cut is closed', () => {
    const { text } = cleanBody(`a\n\`\`\`\n${'line\n'.repeat(4_000)}\`\`\``);
    expect(text.length).toBeLessThanOrEqual(10_000);
    expect(text).toMatch(/^a\n```\nline\n/);
    expect(text).toMatch(/\nline\n```\n\n\[cut here/);
  });

  test('a number is not cut into another one', () => {
    const { text } = cleanBody(`${'x '.repeat(4_975)}Fixes #12345 and more words`, {
      closesIssue: 12_345,
      maxChars: 9_998,
    });
    expect(text).not.toMatch(/#1\d{0,3}(?!\d)/);
  });

  test('no half of a character is left', () => {
    for (let pad = 0; pad < 4; pad++) {
      const { text } = cleanTitle(`${'a'.repeat(190 + pad)} ${'😀'.repeat(20)}`);
      expect(text).not.toMatch(/\p{Cs}/u);
      expect(text.length).toBeLessThanOrEqual(200);
    }
  });
});

describe('cleaning a title', () => {
  test.each([
    ['Add a check', 'Add a check'],
    ['Fix  the\nparser', 'Fix the parser'],
    ['Use Array<string> & more', 'Use Array & more'],
    ['a < b', 'a < b'],
    ['Fix #12 crash', 'see #12 crash'],
    ['ping @octocat', 'ping `@octocat`'],
    ['/approve', '`/approve`'],
    ['chore [skip ci]', 'chore (no skip)'],
    ['', ''],
  ])('%j becomes %j', (raw, expected) => {
    expect(title(raw)).toBe(expected);
  });

  test('is cut at two hundred characters', () => {
    expect(title('word '.repeat(40).trim())).toBe('word '.repeat(40).trim());
    const long = cleanTitle('word '.repeat(50));
    expect(long.text.length).toBeLessThanOrEqual(200);
    expect(long.text.endsWith('word …')).toBe(true);
    expect(long.notes).toEqual(['cut']);
  });
});

describe('composing a body', () => {
  test('quotes the agent between what the machine says', () => {
    const { text } = composeBody({
      header: '# Made by an agent',
      agentText: 'I did\n\n@octocat',
      footer: 'Task 1',
    });
    expect(text).toBe('# Made by an agent\n\n> I did\n>\n> `@octocat`\n\nTask 1');
  });

  test('leaves the quotation out when the agent said nothing', () => {
    expect(composeBody({ header: 'H', agentText: '<!-- x -->', footer: 'F' }).text).toBe('H\n\nF');
  });

  test('stays within the whole, and the agent gives way first', () => {
    const composed = composeBody({
      header: 'h'.repeat(59_000),
      agentText: 'a\n'.repeat(5_000),
      footer: 'F',
    });
    expect(composed.text.length).toBeLessThanOrEqual(MAX_BODY_CHARS);
    expect(composed.text.startsWith('h'.repeat(59_000))).toBe(true);
    expect(composed.text.endsWith('\n\nF')).toBe(true);
    expect(composed.notes).toContain('cut');
  });

  test('quoting puts a mark before every line', () => {
    expect(quoteText('a\n\nb')).toBe('> a\n>\n> b');
  });
});

/** Pieces from which attacks are made, so that random texts are mostly attacks. */
const piece = fc.oneof(
  fc.constantFrom(
    '`',
    '``',
    '```',
    '````',
    '~~~',
    '@octocat',
    '@',
    'a',
    ' ',
    '\n',
    '\n\n',
    '> ',
    '- ',
    '    ',
    '  ',
    '|',
    '<!--',
    '-->',
    '<b>',
    '<',
    '>',
    '&#64;',
    '&',
    '&lt;',
    '\\',
    '/approve',
    '/',
    'Fixes ',
    '#12',
    '#1',
    'see',
    ':',
    '![',
    '](x)',
    '[',
    ']',
    '$',
    '$$',
    '_',
    '*',
    '\u200b',
    '\r',
    '\t',
    '😀',
    '\ud800',
    'http://x.y/',
    token.slice(0, 20),
    token.slice(20),
    '[skip ci]',
    '"',
    "'",
    '+',
    'www.a.b/',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const attack = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

describe('whatever an agent writes', () => {
  test('nobody is mentioned outside code', () => {
    fc.assert(
      fc.property(attack, (raw) => {
        expect(outsideCode(body(raw))).not.toMatch(/(?<![A-Za-z0-9])@[A-Za-z0-9]/);
      }),
      { numRuns: 5_000 },
    );
  });

  test('cleaning twice is cleaning once, in bodies and titles', () => {
    fc.assert(
      fc.property(attack, fc.integer({ min: 60, max: 300 }), (raw, maxChars) => {
        const once = cleanBody(raw, { closesIssue: 12, maxChars }).text;
        expect(cleanBody(once, { closesIssue: 12, maxChars }).text).toBe(once);
        const line = cleanTitle(raw, { closesIssue: 12 }).text;
        expect(cleanTitle(line, { closesIssue: 12 }).text).toBe(line);
      }),
      { numRuns: 5_000 },
    );
  });

  test('caps hold, characters stay whole, nothing hidden, no comment, no other issue closed', () => {
    fc.assert(
      fc.property(attack, fc.integer({ min: 60, max: 300 }), (raw, maxChars) => {
        const { text } = cleanBody(raw, { closesIssue: 12, maxChars });
        expect(text.length).toBeLessThanOrEqual(maxChars);
        expect(text).not.toMatch(/\p{Cs}/u);
        expect(text).not.toMatch(/[\u200b\u202e\r]|<!--/);
        // Behind a letter or digit it is the end of another word, which closes nothing.
        expect(text).not.toMatch(/(?<![A-Za-z0-9])fixes\s*:?\s*#1(?!2(?!\d))/i);
        expect(text).not.toMatch(/^\s*\/approve(?![\w/.-])/m);
        expect(text).not.toContain(token);
        expect(readFences(text).isOpen).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });

  test('seldom is a text dropped for not coming to rest', () => {
    const notes = fc
      .sample(attack, { numRuns: 1_000, seed: 7 })
      .flatMap((raw) => cleanBody(raw).notes);
    expect(notes.filter((note) => note === 'dropped').length).toBeLessThan(10);
  });

  test.each([
    '`',
    '@a',
    '<!--',
    '<b',
    '![',
    '[',
    'fixes ',
    '&#',
    '~',
    ' ',
    '/a',
    'eyJ',
    '`a` ',
    '@a|`',
    '\\',
    '<!<!---->--',
  ])('a megabyte of %j is cleaned within two seconds of processor time', async (unit) => {
    const spent = await measureCpuMs(() => {
      cleanBody(megabyteOf(unit));
      cleanTitle(megabyteOf(unit));
    });
    expect(spent).toBeLessThan(2_000);
  });
});

/** The text without fences at the margin and without code spans, read independently of the cleaner. */
function outsideCode(text: string): string {
  return readFences(text).outside.replace(/(?<!\\)`[^`\n]+`/g, '·');
}

function readFences(text: string): { outside: string; isOpen: boolean } {
  let fence = '';
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const mark = /^`{3,}/.exec(line)?.[0] ?? '';
    if (fence === '' && mark !== '') fence = mark;
    else if (fence !== '' && mark.length >= fence.length && line.trim() === mark) fence = '';
    else if (fence === '') lines.push(line);
  }
  return { outside: lines.join('\n'), isOpen: fence !== '' };
}
