import { describe, expect, it } from 'vitest';
import { cutPayload, readFrame, splitFrame, writeFrameLine } from './frame.ts';

async function* pieces(...list: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of list) yield Buffer.from(piece);
}

describe('a frame', () => {
  it('is read back however it is cut', async () => {
    const { head, payload } = await readFrame(pieces('{"a"', ':1}', '\nab', 'c\nd'));
    const parts: Uint8Array[] = [];
    for await (const part of payload) parts.push(part);
    expect([head, Buffer.concat(parts).toString()]).toEqual([{ a: 1 }, 'abc\nd']);
    const split = splitFrame(Buffer.concat([writeFrameLine({ b: 'x\ny' }), Buffer.from('rest')]));
    expect([split.head, split.payload.toString()]).toEqual([{ b: 'x\ny' }, 'rest']);
  });

  it('is cut only at the announced lengths, which must add up', () => {
    const payload = Buffer.from('abcde');
    expect(cutPayload(payload, [2, 0, 3]).map(String)).toEqual(['ab', '', 'cde']);
    for (const lengths of [[2, 2], [6], [], [Number.NaN]]) {
      expect(() => cutPayload(payload, lengths)).toThrow(/length/);
    }
  });

  it('without a line of JSON is refused', async () => {
    expect(() => splitFrame(Buffer.from('{}'))).toThrow(/first line/);
    expect(() => splitFrame(Buffer.from('x\n'))).toThrow(/no JSON/);
    await expect(readFrame(pieces('{}'))).rejects.toMatchObject({ code: 'bad_input' });
  });
});
