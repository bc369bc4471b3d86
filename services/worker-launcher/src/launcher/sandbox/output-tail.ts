/**
 * Keeps the last bytes of a stream in constant memory. A sandbox may print without end; what is worth keeping is how it
 * ended, and that the beginning is missing must be visible to whoever reads it.
 */
import type { OutputTail } from './driver.ts';

export const TAIL_BYTES = 64 * 1024;

export interface TailCollector {
  push(chunk: Uint8Array): void;
  readonly totalBytes: number;
  result(): OutputTail;
}

/** Creates a collector that keeps the last `capBytes` bytes. */
export function createTail(capBytes: number = TAIL_BYTES): TailCollector {
  // Written round and round: what comes is copied once, however small or large the pieces are.
  let ring: Buffer | undefined;
  let at = 0;
  let totalBytes = 0;
  return {
    push(chunk) {
      totalBytes += chunk.byteLength;
      const last = chunk.subarray(Math.max(0, chunk.byteLength - capBytes));
      const fitting = Math.min(last.byteLength, capBytes - at);
      ring ??= Buffer.alloc(capBytes);
      ring.set(last.subarray(0, fitting), at);
      ring.set(last.subarray(fitting), 0);
      at = (at + last.byteLength) % capBytes;
    },
    get totalBytes() {
      return totalBytes;
    },
    result() {
      const dropped = Math.max(0, totalBytes - capBytes);
      const text = textOf(ring ?? Buffer.alloc(0), totalBytes < capBytes ? 0 : at, totalBytes);
      return {
        text: dropped > 0 ? `[${dropped} bytes before this were dropped]\n${text}` : text,
        totalBytes,
        truncated: dropped > 0,
      };
    },
  };
}

function textOf(ring: Buffer, start: number, totalBytes: number): string {
  const bytes = Buffer.concat([ring.subarray(start), ring.subarray(0, start)]);
  return bytes.subarray(0, totalBytes).toString('utf8');
}
