/**
 * Takes apart what an engine sends of a program's output: one letter for the stream, the length in four bytes, the content,
 * cut anywhere by the connection. Nothing is gathered but the eight bytes of a header: a frame passes in the pieces in which
 * it comes, so that no frame, however large it says it is, costs memory.
 */
import { AppError } from '@sallyport/shared/errors';

const HEADER_BYTES = 8;
const SIZE_OFFSET = 4;
// The engine numbers the streams; the fourth carries its own words about a stream that it lost.
const STREAMS = ['stdout', 'stdout', 'stderr', 'stderr'] as const;

export type OutputStream = 'stdout' | 'stderr';
export interface OutputPiece {
  stream: OutputStream;
  bytes: Buffer;
}

export interface OutputFrames {
  /**
   * What this chunk brings, in order; never empty pieces.
   * @throws AppError `internal` on bytes that are no frame.
   */
  push(chunk: Buffer): OutputPiece[];
  /** Whether all frames that were begun have come to their end. */
  readonly complete: boolean;
}

/** Creates the reader of one connection. */
export function createOutputFrames(): OutputFrames {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerLength = 0;
  let stream: OutputStream = 'stdout';
  let left = 0;

  return {
    push(chunk) {
      const pieces: OutputPiece[] = [];
      let at = 0;
      while (at < chunk.byteLength) {
        if (left > 0) {
          const bytes = chunk.subarray(at, at + left);
          pieces.push({ stream, bytes });
          left -= bytes.byteLength;
          at += bytes.byteLength;
          continue;
        }
        const copied = chunk.copy(header, headerLength, at);
        headerLength += copied;
        at += copied;
        if (headerLength < HEADER_BYTES) break;
        headerLength = 0;
        stream = streamOf(header);
        left = header.readUInt32BE(SIZE_OFFSET);
      }
      return pieces;
    },
    get complete() {
      return left === 0 && headerLength === 0;
    },
  };
}

function streamOf(header: Buffer): OutputStream {
  const stream = STREAMS[header.readUInt8(0)];
  if (stream === undefined || header.readUIntBE(1, SIZE_OFFSET - 1) !== 0) {
    throw new AppError('internal', 'the engine sent output that is not in frames');
  }
  return stream;
}
