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
  let kept: Buffer = Buffer.alloc(0);
  let totalBytes = 0;
  return {
    push(chunk) {
      totalBytes += chunk.byteLength;
      const joined = Buffer.concat([
        kept,
        chunk.subarray(Math.max(0, chunk.byteLength - capBytes)),
      ]);
      kept = joined.subarray(Math.max(0, joined.byteLength - capBytes));
    },
    get totalBytes() {
      return totalBytes;
    },
    result() {
      const dropped = totalBytes - kept.byteLength;
      const text = kept.toString('utf8');
      return {
        text: dropped > 0 ? `[${dropped} bytes before this were dropped]\n${text}` : text,
        totalBytes,
        truncated: dropped > 0,
      };
    },
  };
}
