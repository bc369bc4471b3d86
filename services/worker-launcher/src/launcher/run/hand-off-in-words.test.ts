import { expect, test } from 'vitest';
import { handOffInWords } from './hand-off-in-words.ts';

const handOff = { v: 1, outcome: 'pass', summary: 's', findings: [], claims: {} };
const block = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``;

test('the last block of JSON in what was printed is the hand-off', () => {
  const printed = `thinking\n${block({ an: 'example' })}\nso:\n${block(handOff)}\n`;
  expect(handOffInWords(printed)).toEqual({ ok: true, handOff });
});

test('words without a block are no hand-off, and a block of another shape is refused as such', () => {
  expect(handOffInWords('all is well')).toMatchObject({ ok: false, problem: 'missing' });
  expect(handOffInWords(block({ an: 'example' }))).toMatchObject({
    ok: false,
    problem: 'bad_shape',
  });
});
