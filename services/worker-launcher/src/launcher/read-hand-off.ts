/**
 * Reads the file that a step left as its hand-off, on the host, where a link, a pipe or a device in its place would be
 * followed or waited for with the launcher's rights. Call it when the step's sandbox has ended.
 */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import {
  HAND_OFF_MAX_BYTES,
  parseHandOff,
  type HandOff,
  type HandOffProblem,
} from '@sallyport/teams/hand-off';

export const HAND_OFF_NAME = 'hand-off.json';

export type ReadHandOff =
  | { ok: true; handOff: HandOff }
  | { ok: false; problem: 'missing' | 'not_a_plain_file' | HandOffProblem; message: string };

/** Reads `hand-off.json` in a step's `out` directory. Never throws for what an agent can have caused. */
export async function readHandOff(outDirectory: string): Promise<ReadHandOff> {
  let file: FileHandle;
  try {
    // Without O_NONBLOCK opening a pipe waits for a writer that never comes.
    file = await open(
      join(outDirectory, HAND_OFF_NAME),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
  } catch (error) {
    return refuseToOpen(error);
  }
  try {
    return await readOpened(file);
  } finally {
    await file.close();
  }
}

async function readOpened(file: FileHandle): Promise<ReadHandOff> {
  const stat = await file.stat();
  if (!stat.isFile() || stat.nlink !== 1) return notPlain();
  // One byte more than is allowed shows that there is more, whatever the size was when it was asked for.
  const bytes = Buffer.alloc(HAND_OFF_MAX_BYTES + 1);
  let length = 0;
  while (length < bytes.byteLength) {
    const { bytesRead } = await file.read(bytes, length, bytes.byteLength - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return parseHandOff(bytes.subarray(0, length));
}

function refuseToOpen(error: unknown): ReadHandOff {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') {
    return { ok: false, problem: 'missing', message: 'the step left no hand-off.json in /out' };
  }
  // A link (ELOOP), a socket (ENXIO), a file without read permission (EACCES).
  if (code === 'ELOOP' || code === 'ENXIO' || code === 'EACCES') return notPlain();
  throw error;
}

function notPlain(): ReadHandOff {
  const message = 'hand-off.json in /out is not a plain, readable file with a single name';
  return { ok: false, problem: 'not_a_plain_file', message };
}
