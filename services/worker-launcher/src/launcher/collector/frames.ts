/**
 * The launcher's end of the collector's protocol: one letter (J: a JSON message, D: data, E: end of data), the length in
 * four bytes, the content. Frames are taken apart as they arrive, so that a pack of any size passes in pieces.
 */
import { AppError } from '@sallyport/shared/errors';

const HEADER_BYTES = 5;
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

export type FrameKind = 'J' | 'D' | 'E';
export interface Frame {
  kind: FrameKind;
  content: Buffer;
}

/** The bytes of one frame. */
export function encodeFrame(kind: FrameKind, content: Uint8Array = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(kind, 0, 'latin1');
  header.writeUInt32BE(content.byteLength, 1);
  return Buffer.concat([header, content]);
}

export interface FrameDecoder {
  /** The frames that are complete with this piece. @throws AppError `internal` on bytes that are no frame. */
  push(piece: Buffer): Frame[];
}

/** Creates a decoder for one stream. */
export function createFrameDecoder(): FrameDecoder {
  let pieces: Buffer[] = [];
  let held = 0;
  let wanted = HEADER_BYTES;

  return {
    push(piece) {
      pieces.push(piece);
      held += piece.byteLength;
      const frames: Frame[] = [];
      // Joined only when a frame can be complete: a large one arrives in hundreds of pieces.
      while (held >= wanted) {
        const all = pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces);
        const frame = firstFrame(all);
        if (frame === undefined) {
          wanted = HEADER_BYTES + all.readUInt32BE(1);
          pieces = [all];
          continue;
        }
        frames.push(frame);
        const rest = all.subarray(HEADER_BYTES + frame.content.byteLength);
        pieces = [rest];
        held = rest.byteLength;
        wanted = HEADER_BYTES;
      }
      // The last piece is the giver's again when this is dealt with.
      const last = pieces.pop();
      if (last !== undefined) pieces.push(Buffer.from(last));
      return frames;
    },
  };
}

function firstFrame(bytes: Buffer): Frame | undefined {
  const kind = String.fromCharCode(bytes[0] ?? 0);
  const size = bytes.readUInt32BE(1);
  if ((kind !== 'J' && kind !== 'D' && kind !== 'E') || size > MAX_FRAME_BYTES) {
    throw new AppError('internal', 'the collector wrote something that is no frame');
  }
  if (bytes.byteLength < HEADER_BYTES + size) return undefined;
  return { kind, content: bytes.subarray(HEADER_BYTES, HEADER_BYTES + size) };
}
