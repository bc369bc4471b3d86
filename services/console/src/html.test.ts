import { expect, it } from 'vitest';
import { html, type SafeHtml } from './html.ts';
import { visibleText } from './visible-text.ts';

/** A piece as a browser reads it: white space around elements does not count. */
function text(piece: SafeHtml): string {
  return piece.toString().replace(/\s*\n\s*/g, '');
}

it('escapes every value, in text and in quoted attributes', () => {
  const hostile = `<script>alert("1")</script>' onload=\`x\` &amp;`;
  expect(text(html`<p title="${hostile}">${hostile}</p>`)).toBe(
    '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39; onload=&#96;x&#96; &amp;amp;">' +
      '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39; onload=&#96;x&#96; &amp;amp;</p>',
  );
});

it('puts in its own pieces unescaped, and lists of them', () => {
  const rows = ['a', '<b>'].map((row) => html`<li>${row}</li>`);
  expect(
    text(
      html`<ul>
        ${rows}
      </ul>`,
    ),
  ).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul>');
});

it('shows nothing for nothing and a number as itself', () => {
  expect(text(html`[${null}${undefined}${false}${0}]`)).toBe('[0]');
});

it('escapes an object that only looks like a piece of a page', () => {
  const forged = { toString: () => '<b>' } as never;
  expect(text(html`${forged}`)).toBe('&lt;b&gt;');
});

it.each([
  ['a right-to-left override', 'a\u202eb', 'a⟨U+202E⟩b'],
  ['an escape sequence', '\u001b[2J', '⟨U+001B⟩[2J'],
  ['a zero-width space', 'a\u200bb', 'a⟨U+200B⟩b'],
  ['a tag character', 'a\u{e0041}b', 'a⟨U+E0041⟩b'],
  ['half a pair', 'a\ud800b', 'a⟨U+D800⟩b'],
])('shows %s by its number', (_name, hidden, shown) => {
  expect(visibleText(hidden)).toBe(shown);
});

it('leaves what can be seen: letters of any script, emoji, tab and newline', () => {
  const plain = 'é 漢字 שלום 😊\ta\nb';
  expect(visibleText(plain)).toBe(plain);
});
