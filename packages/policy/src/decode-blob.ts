/**
 * Tells text from binary by the bytes alone. Attributes and extensions are written by whoever wrote the change, so they
 * have no say: a NUL in the first 8 KiB or anything that is not UTF-8 is binary.
 */
import type { ContentState } from './change.ts';

const NUL_WINDOW_BYTES = 8 * 1024;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export interface DecodedBlob {
  content: Extract<ContentState, 'text' | 'binary'>;
  text: string | null;
  binary: boolean;
}

/** The text of a blob (byte order mark kept), or that it has none. */
export function decodeBlob(bytes: Uint8Array): DecodedBlob {
  if (bytes.subarray(0, NUL_WINDOW_BYTES).includes(0)) {
    return { content: 'binary', text: null, binary: true };
  }
  try {
    return { content: 'text', text: decoder.decode(bytes), binary: false };
  } catch {
    return { content: 'binary', text: null, binary: true };
  }
}
