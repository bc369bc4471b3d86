/**
 * The form in which parent and child exchange bytes: one line of JSON that says how many bytes follow, then exactly those.
 * A reader that meets fewer or more bytes than announced refuses the whole.
 */
import { AppError } from '@sallyport/shared/errors';

const MAX_LINE_BYTES = 16_777_216;
const NEWLINE = 0x0a;

/** The line for a head; the bytes it announces follow it. */
export function writeFrameLine(head: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(head)}\n`);
}

/** Splits a complete frame. @throws AppError `bad_input` when it does not begin with a line of JSON. */
export function splitFrame(bytes: Buffer): { head: unknown; payload: Buffer } {
  const end = bytes.indexOf(NEWLINE);
  if (end === -1) throw new AppError('bad_input', 'a frame without its first line');
  return { head: parseLine(bytes.subarray(0, end)), payload: bytes.subarray(end + 1) };
}

/** Cuts the payload into parts of the announced lengths. @throws AppError `bad_input` unless they add up exactly. */
export function cutPayload(payload: Buffer, lengths: readonly number[]): Buffer[] {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (total !== payload.length)
    throw new AppError('bad_input', 'a frame of another length than announced');
  let offset = 0;
  return lengths.map((length) => payload.subarray(offset, (offset += length)));
}

/** Reads the line of a frame from a stream and leaves the payload to be iterated. @throws AppError `bad_input`. */
export async function readFrame(
  input: AsyncIterable<Uint8Array>,
): Promise<{ head: unknown; payload: AsyncIterable<Uint8Array> }> {
  const iterator = input[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  for (;;) {
    const end = start.indexOf(NEWLINE);
    if (end !== -1) {
      const head = parseLine(start.subarray(0, end));
      return { head, payload: continueWith(start.subarray(end + 1), iterator) };
    }
    if (start.length > MAX_LINE_BYTES)
      throw new AppError('bad_input', 'a frame whose first line does not end');
    // oxlint-disable-next-line no-await-in-loop -- the next piece exists only after this one
    const next = await iterator.next();
    if (next.done === true) throw new AppError('bad_input', 'a frame without its first line');
    start = Buffer.concat([start, next.value]);
  }
}

async function* continueWith(
  first: Uint8Array,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first;
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) return;
    yield next.value;
  }
}

function parseLine(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch (error) {
    throw new AppError('bad_input', 'a frame whose first line is no JSON', { cause: error });
  }
}
