/**
 * Reads a request's body as the bytes that were sent, never more than its room, feeding each piece to the signature and
 * the hash as it arrives.
 */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { tooLarge } from './body-room.ts';
import { Refusal } from './refusal.ts';
import type { SignatureCheck } from './signature.ts';

export interface ReadBody {
  bytes: Buffer;
  /** Of the raw bytes, in hexadecimal. */
  sha256: string;
}

/** @throws Refusal `too_large` beyond the room, `cut_short` when the connection ended before the body did. */
export function readBody(
  stream: Readable,
  roomBytes: number,
  signature: SignatureCheck,
): Promise<ReadBody> {
  const hash = createHash('sha256');
  // Pages that are never written to are never there: a sender pays for what it sent, not for what it announced.
  const room = Buffer.allocUnsafeSlow(roomBytes);
  let length = 0;
  return new Promise((resolve, reject) => {
    function stopReading(): void {
      stream.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
      // Not destroyed, which would cut the connection under the answer; the rest runs through, bounded by the timeout.
      stream.on('error', () => {}).resume();
    }
    function onData(chunk: Buffer): void {
      if (length + chunk.length > roomBytes) {
        stopReading();
        reject(tooLarge(roomBytes));
        return;
      }
      signature.update(chunk);
      hash.update(chunk);
      chunk.copy(room, length);
      length += chunk.length;
    }
    function onEnd(): void {
      stopReading();
      resolve({ bytes: room.subarray(0, length), sha256: hash.digest('hex') });
    }
    function onCut(cause?: Error): void {
      stopReading();
      reject(new Refusal('cut_short', 'the connection ended before the body did', { cause }));
    }
    stream.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
  });
}
