import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOutputFrames, type OutputStream } from './docker-frames.ts';

function frame(stream: OutputStream, content: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(stream === 'stdout' ? 1 : 2, 0);
  header.writeUInt32BE(content.byteLength, 4);
  return Buffer.concat([header, content]);
}

const anyFrames = fc.array(
  fc.record({
    stream: fc.constantFrom<OutputStream>('stdout', 'stderr'),
    content: fc.uint8Array({ maxLength: 50 }),
  }),
  { maxLength: 20 },
);

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let i = 0; at < bytes.byteLength; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

test('however the connection cuts them, the same bytes come out on the same streams in the same order', () => {
  fc.assert(
    fc.property(
      anyFrames,
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 }),
      (frames, sizes) => {
        const wire = Buffer.concat(frames.map((f) => frame(f.stream, f.content)));
        const reader = createOutputFrames();
        const pieces = cut(wire, sizes).flatMap((chunk) => reader.push(chunk));
        // Byte by byte, so that where pieces were cut plays no part.
        const seen = pieces.flatMap((p) => [...p.bytes].map((byte) => `${p.stream} ${byte}`));
        const sent = frames.flatMap((f) => [...f.content].map((byte) => `${f.stream} ${byte}`));
        expect(seen).toEqual(sent);
        expect(reader.complete).toBe(true);
        expect(pieces.every((p) => p.bytes.byteLength > 0)).toBe(true);
      },
    ),
  );
});

test('a hundred thousand frames of one byte in one chunk are no burden', () => {
  const one = frame('stdout', Buffer.from('x'));
  const wire = Buffer.alloc(one.byteLength * 100_000, one);
  expect(createOutputFrames().push(wire)).toHaveLength(100_000);
});

test('a frame that says it is huge passes in the pieces in which it comes', () => {
  const reader = createOutputFrames();
  const header = Buffer.from([2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
  expect(reader.push(header)).toEqual([]);
  const piece = Buffer.from('begun');
  expect(reader.push(piece)).toEqual([{ stream: 'stderr', bytes: piece }]);
  expect(reader.complete).toBe(false);
});

test("the engine's own words about a stream are kept with the errors", () => {
  const wire = Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 0, 0, 4]), Buffer.from('lost')]);
  expect(createOutputFrames().push(wire)).toEqual([
    { stream: 'stderr', bytes: Buffer.from('lost') },
  ]);
});

test.each([
  ['an unknown stream', [4, 0, 0, 0, 0, 0, 0, 1]],
  ['bytes where there must be none', [1, 0, 1, 0, 0, 0, 0, 1]],
  ['the bare output of a terminal', [...Buffer.from('hello, w')]],
])('%s is refused', (_, bytes) => {
  const reader = createOutputFrames();
  expect(() => reader.push(Buffer.from(bytes))).toThrow('not in frames');
});
