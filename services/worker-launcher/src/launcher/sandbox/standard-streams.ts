/**
 * Standard streams that a program can open by name. Node gives children sockets, which cannot be opened: with them
 * `echo … > /dev/stderr` and `cat /dev/stdin`, which half of all build scripts contain, fail. Output goes to pipes, input
 * that is known beforehand comes from a file that has no name any more; only streamed input comes through a socket.
 */
import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { newId } from '@sallyport/shared/ids';

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;
/** Node can make no pipe itself, and starting a program for every single one would cost as much as the sandbox does. */
const PIPES_AT_ONCE = 32;

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
  const inputFile = join(directory, `${newId()}-0`);
  try {
    if (input !== 'stream') await writeFile(inputFile, input, { mode: 0o600 });
    const [first, second] = await takePipes(directory);
    const stdin = input === 'stream' ? 'pipe' : openSync(inputFile, O_RDONLY);
    const stdout = openEnds(first);
    const stderr = openEnds(second);
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
    rmSync(inputFile, { force: true });
  }
}

/** Pipes that nobody has used, by descriptors open at both ends; they have no names any more. */
const unused: number[] = [];

async function takePipes(directory: string): Promise<[number, number]> {
  if (unused.length < 2) unused.push(...(await makePipes(directory)));
  const [first, second] = [unused.pop(), unused.pop()];
  if (first === undefined || second === undefined) throw new Error('no pipe was made');
  return [first, second];
}

async function makePipes(directory: string): Promise<number[]> {
  const paths = Array.from({ length: PIPES_AT_ONCE }, () => join(directory, `${newId()}-1`));
  try {
    await promisify(execFile)('/usr/bin/mkfifo', ['-m', '600', ...paths], { env: {} });
    // Both ends at once, so that neither waits for the other.
    return paths.map((path) => openSync(path, O_RDWR | O_NONBLOCK));
  } finally {
    for (const path of paths) rmSync(path, { force: true });
  }
}

function openEnds(both: number): { ours: number; theirs: number } {
  const path = `/proc/self/fd/${both}`;
  // The program's own end must not be non-blocking: few programs expect that of their standard output.
  const theirs = openSync(path, O_WRONLY);
  const ours = openSync(path, O_RDONLY | O_NONBLOCK);
  closeSync(both);
  return { ours, theirs };
}
