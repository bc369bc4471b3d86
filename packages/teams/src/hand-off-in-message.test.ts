import { describe, expect, test } from 'vitest';
import { findHandOffInMessage, SEARCHED_BYTES } from './hand-off-in-message.ts';

const HAND_OFF = { v: 1, outcome: 'pass', summary: 'Looked.', findings: [], claims: {} };
const text = JSON.stringify(HAND_OFF, null, 2);
const fenced = `\`\`\`json\n${text}\n\`\`\``;

describe('the hand-off in a last message', () => {
  test.each([
    ['in a block at the end', `I looked.\n\n${fenced}\n`],
    ['in a block without a language', `I looked.\n${fenced.replace('json', '')}`],
    ['with words after it', `${fenced}\nThat is all.`],
    ['with line ends of another system', fenced.replaceAll('\n', '\r\n')],
    ['as the whole message', ` ${text}\n`],
    ['after other blocks', `\`\`\`json\n{"v": 2}\n\`\`\`\n\n${fenced}`],
    ['before a block of code', `${fenced}\n\`\`\`ts\nconst x = {};\n\`\`\`\n`],
  ])('is found %s', (_, output) => {
    expect(findHandOffInMessage(output)).toEqual({ ok: true, handOff: HAND_OFF });
  });

  test.each([
    ['nothing', ''],
    ['words alone', 'outcome: pass'],
    ['an open block', '```json\n{"v":1'],
    ['a block that is no object', '```json\n[1]\n```'],
    ['one that lies too far back', `${fenced}\n${'x'.repeat(SEARCHED_BYTES)}`],
  ])('is not found in %s', (_, output) => {
    expect(findHandOffInMessage(output)).toBeNull();
  });

  test('is parsed as strictly as a file', () => {
    expect(findHandOffInMessage(fenced.replace('"pass"', '"great"'))).toMatchObject({
      ok: false,
      problem: 'bad_shape',
    });
    expect(findHandOffInMessage(fenced.replace('"v": 1,', '"v": 1, x'))).toMatchObject({
      ok: false,
      problem: 'not_json',
    });
  });
});
