import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HIDDEN_KINDS, type HiddenKind } from './hidden-kinds.ts';
import { MAX_REQUEST_CHARACTERS, sanitiseRequest } from './sanitise-request.ts';

const SECRET = 'SECRETLY';

/** A text that hides the word, the kind under which that is counted, and what its readers see. */
const HIDING_PLACES: [HiddenKind, string, string][] = [
  ['html_comment', `Before\n<!-- ${SECRET} -->\nAfter`, 'Before\n \nAfter'],
  ['html_comment', `seen <!-- ${SECRET}\nfor ever`, 'seen  '],
  ['html_comment', `\`\`\`\n<!-- ${SECRET} -->\n\`\`\``, '```\n \n```'],
  ['html_comment', `a <!\u200b-- ${SECRET} --> b`, 'a   b'],
  ['html_comment', `a <!&#8203;-- ${SECRET} --> b`, 'a   b'],
  ['html_declaration', `a <!DOCTYPE ${SECRET}> b`, 'a   b'],
  ['html_declaration', `a <?xml ${SECRET} ?> b`, 'a   b'],
  ['html_declaration', `a <![CDATA[ ${SECRET} ]]> b`, 'a   b'],
  ['html_declaration', `a <? ${SECRET}`, 'a  '],
  ['html_attribute', `a <span title="${SECRET}">b</span>`, 'a <span>b</span>'],
  ['html_attribute', `<p data-x='${SECRET} > "y"'>b</p>`, '<p>b</p>'],
  [
    'html_attribute',
    `<a href="https://x.test" name=${SECRET}>b</a>`,
    '<a href="https://x.test">b</a>',
  ],
  ['html_attribute', `<a href="https://x.test/ ${SECRET}">b</a>`, '<a>b</a>'],
  ['html_attribute', `<p align="center ${SECRET}">b</p>`, '<p>b</p>'],
  [
    'html_attribute',
    `<div>\n\`\`\`\n<b title="${SECRET}">x</b>\n\`\`\``,
    '<div>\n```\n<b>x</b>\n```',
  ],
  [
    'html_attribute',
    `<pre>\n\n\`\`\`\n<b x="${SECRET}">x</b>\n\`\`\`\n`,
    '<pre>\n\n```\n<b>x</b>\n```\n',
  ],
  ['html_attribute', `\`\`\`\n<b x="${SECRET}">never closed`, '```\n<b>never closed'],
  ['html_attribute', `\\\`<b x="${SECRET}">\``, '\\`<b>`'],
  ['html_attribute', `\`a\n\n<b x="${SECRET}">\``, '`a\n\n<b>`'],
  ['image_text', `![${SECRET}](https://x.test/a.png)`, '![](https://x.test/a.png)'],
  [
    'image_text',
    `<img src="https://x.test/a.png" alt="${SECRET}">`,
    '<img src="https://x.test/a.png">',
  ],
  ['link_title', `[b](https://x.test "${SECRET}")`, '[b](https://x.test)'],
  ['link_title', `[b](https://x.test '${SECRET}')`, '[b](https://x.test)'],
  ['link_title', `![](https://x.test/a.png (${SECRET}))`, '![](https://x.test/a.png)'],
  [
    'link_title',
    `see [docs]\n\n[docs]: https://x.test "${SECRET}"`,
    'see [docs]\n\n[docs]: https://x.test',
  ],
  ['link_definition', `[//]: # (${SECRET})\nseen`, '\nseen'],
  ['link_definition', `[${SECRET}]: <> "x"\nseen`, '\nseen'],
  ['link_definition', `[unused]: https://x.test/${SECRET}\nseen`, '\nseen'],
  ['link_definition', `[unused]: https://x.test\n"${SECRET}"\nseen`, '\nseen'],
  ['footnote', `seen\n\n[^1]: ${SECRET}\n    and ${SECRET}`, 'seen\n\n'],
  ['fence_info', `\`\`\`js ${SECRET}\nx\n\`\`\``, '```js\nx\n```'],
  [
    'diagram_comment',
    `\`\`\`mermaid\ngraph TD\n%% ${SECRET}\nA-->B\n\`\`\``,
    '```mermaid\ngraph TD\nA-->B\n```',
  ],
  ['phantom_formula', `$x \\phantom{${SECRET}}$`, '$x  $'],
  ['zero_width', 'a\u200b\u200c\u200d\u2060\ufeffb', 'ab'],
  ['zero_width', 'a&#x200B;&#8204;&ZeroWidthSpace;b', 'ab'],
  ['bidirectional', 'a\u202a\u202e\u2066\u2069\u200fb', 'ab'],
  ['bidirectional', 'a&rlm;&#x202e;b', 'ab'],
  ['tag_character', 'a\u{e0041}\u{e007f}\u{e0001}b', 'ab'],
  ['tag_character', 'a&#xE0041;&#917569;b', 'ab'],
  ['variation_selector', 'a\ufe00\u{e0100}\u{e01ef}b', 'ab'],
  ['control', 'a\u0000\u001b\u009b\u007fb', 'ab'],
  ['invisible', 'a\u3164\u115f\u034f\u00adb', 'ab'],
  ['invisible', 'a\u2800b', 'a b'],
];

describe('a text that is hidden is not there, and counted by its kind', () => {
  test.each(HIDING_PLACES)('%s: %j', (kind, given, seen) => {
    const { text, removed } = sanitiseRequest(given);
    expect(text).toBe(seen);
    expect(text).not.toContain(SECRET);
    expect(removed[kind]).toBeGreaterThan(0);
    expect(JSON.stringify(removed)).not.toContain(SECRET);
  });

  test('there is a hiding place for each kind', () => {
    expect(HIDDEN_KINDS.filter((kind) => HIDING_PLACES.every(([one]) => one !== kind))).toEqual([]);
  });

  test('how often is counted', () => {
    const { removed } = sanitiseRequest('a\u200b\u200c\u202e <!-- x --><!-- y -->');
    expect(removed).toEqual({ html_comment: 2, zero_width: 2, bidirectional: 1 });
  });

  test('a comment that only appears when another is taken out does not appear', () => {
    expect(sanitiseRequest('<!-<!-- x -->- hidden -->').text).toBe('<!- - hidden -->');
    expect(sanitiseRequest('<!<b x="y">-- hidden -->').text).not.toContain('<!--');
  });
});

describe('a text that its readers see is left as it is, and nothing is counted', () => {
  test.each([
    ['letters of all scripts, line ends and tabs', 'Größe\tπ 漢字 עברית 🙂\nzweite Zeile'],
    ['markup in code blocks', 'See:\n\n```html\n<input class="x" disabled data-y="z">\n```\n'],
    ['markup in longer fences', '~~~~\n```\n<b x="y">\n```\n~~~~'],
    ['markup in code spans', 'the `<b class="x">` and ``<i id="`">`` are gone'],
    ['programs in running text', 'Array<string> and a < b && c > d, <Foo onClick={() => x} />'],
    ['layout', '<p align="center"><img src="https://x.test/a.png" width="40%"></p>'],
    [
      'links, used definitions and footnotes',
      '[a](https://x.test) [b] c[^1]\n\n[b]: https://y.test\n[^1]: d',
    ],
    ['boxes to tick', '- [ ] one\n- [x] two: three'],
    ['references to characters that are seen', '&lt;b&gt; &#65; &amp;'],
  ])('%s', (_, text) => {
    expect(sanitiseRequest(text)).toEqual({ text, removed: {} });
  });

  test('joined and coloured pictures lose their joins without a word', () => {
    expect(sanitiseRequest('❤\ufe0f 👩\u200d💻')).toEqual({ text: '❤ 👩💻', removed: {} });
    expect(sanitiseRequest(`👍${'\ufe0f\u200d'.repeat(40)}`).removed).toMatchObject({
      zero_width: 40,
      variation_selector: 40,
    });
  });

  test('a lone surrogate becomes a replacement character, other spaces become spaces', () => {
    expect(sanitiseRequest('a\ud800b\u2003c').text).toBe('a\ufffdb c');
  });
});

test('whatever is given, no comment and nothing invisible is left, and doing it again changes nothing more', () => {
  const piece = fc.oneof(
    fc.constantFrom('<!--', '-->', '<!-', '-', '[//]: # (x)', '\n', '\n\n', '\u200b', '\u{e0061}'),
    fc.constantFrom(
      '```',
      '`',
      '<b x="',
      '">',
      '![',
      '](',
      '"',
      '&#82',
      '03;',
      '<?',
      '\\',
      '[^1]:',
    ),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const { text } = sanitiseRequest(pieces.join(''));
      expect(text).not.toContain('<!--');
      expect(text).not.toMatch(/[\p{Cf}\p{Default_Ignorable_Code_Point}\u0000-\u0008]/u);
      expect(sanitiseRequest(text)).toEqual({ text, removed: {} });
    }),
    { numRuns: 500 },
  );
});

test('a text that is too long is cut', () => {
  expect(sanitiseRequest('x'.repeat(MAX_REQUEST_CHARACTERS + 10)).text).toHaveLength(
    MAX_REQUEST_CHARACTERS,
  );
  expect(sanitiseRequest('x'.repeat(MAX_REQUEST_CHARACTERS)).text).not.toContain('…');
});

test.each([
  '<a ',
  '<a b="',
  '`\n\n',
  '![',
  '](x "',
  '[a]: ',
  '[a',
  '```\n',
  '<!',
  '&#',
  '\\phantom{',
  '[^a]: b\n',
  '👍\u200d',
  '<a\t\t\t',
])('a text full of %j is read within two seconds', (unit) => {
  const before = process.cpuUsage();
  sanitiseRequest(unit.repeat(Math.ceil(65_536 / unit.length)));
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(2_000);
});
