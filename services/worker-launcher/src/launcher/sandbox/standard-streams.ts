/**
 * Standard streams that a program can open by name. Node gives children sockets, which cannot be opened: with them
 * `echo … > /dev/stderr` and `cat /dev/stdin`, which half of all build scripts contain, fail. Output goes to pipes, input
 * that is known beforehand comes from a file that has no name any more; only streamed input comes through a socket.
 */
import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { newId } from '@sallyport/shared/ids';

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

export interface StandardStreams {
  /** What the program gets as input, output and errors: the `stdio` of spawn. */
  readonly childEnds: readonly [number | 'pipe', number, number];
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Gives up the program's ends, once it holds them itself (or will never be started). */
  closeChildEnds(): void;
}

/**
 * Makes the streams; `input` is the whole of standard input, or `stream` if it will be written to the child's pipe. Their
 * names stand in `directory` for a moment only.
 */
export async function createStandardStreams(
  input: Uint8Array | 'stream',
  directory: string,
): Promise<StandardStreams> {
  const id = newId();
  const [inputFile, output, errors] = ['0', '1', '2'].map((n) => join(directory, `${id}-${n}`)) as [
    string,
    string,
    string,
  ];
  try {
    await promisify(execFile)('/usr/bin/mkfifo', ['-m', '600', output, errors], { env: {} });
    if (input !== 'stream') await writeFile(inputFile, input, { mode: 0o600 });
    const stdin = input === 'stream' ? 'pipe' : openSync(inputFile, O_RDONLY);
    const stdout = openPipe(output);
    const stderr = openPipe(errors);
    const childEnds = [stdin, stdout.theirs, stderr.theirs] as const;
    return {
      childEnds,
      stdout: new Socket({ fd: stdout.ours, readable: true, writable: false }),
      stderr: new Socket({ fd: stderr.ours, readable: true, writable: false }),
      closeChildEnds() {
        for (const end of childEnds) if (end !== 'pipe') closeSync(end);
      },
    };
  } finally {
    for (const path of [inputFile, output, errors]) await rm(path, { force: true });
  }
}

function openPipe(path: string): { ours: number; theirs: number } {
  // Both ends at once, so that neither of the next two waits for its other side. The program's own end must not be
  // non-blocking: few programs expect that of their standard output.
  const both = openSync(path, O_RDWR | O_NONBLOCK);
  const theirs = openSync(path, O_WRONLY);
  const ours = openSync(path, O_RDONLY | O_NONBLOCK);
  closeSync(both);
  return { ours, theirs };
}
