/** Cuts a stream of bytes into lines, however they arrive; a line without end is handed over when it grows too long. */
import type { Readable } from 'node:stream';

const MAX_LINE_CHARS = 1_000_000;

/** Calls `onLine` for each line of the stream, without its end; the last one need not be ended. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    if (rest.length > MAX_LINE_CHARS) {
      onLine(rest);
      rest = '';
    }
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
    rest = '';
  });
}
