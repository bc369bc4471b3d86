/**
 * What is the same whatever wall a driver builds: the first reason to end wins, time and the caller's signal end politely,
 * output is counted, kept at its end and handed on no faster than its reader takes it.
 */
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SandboxEnd, SandboxExit, SandboxHooks, SandboxSpec } from './driver.ts';
import { createTail } from './output-tail.ts';

/** How a driver ends what it runs. Both may come when it has ended already, and more than once. */
export interface Ending {
  /** Asks all processes to end. */
  terminate(): void;
  /** Ends all processes. */
  kill(): void;
}

export interface Supervision {
  /** Ends the sandbox at once, for this reason unless there is one already. */
  readonly endNow: (reason: SandboxEnd) => void;
  /** Ends the sandbox because of an error, which `finish` throws. */
  failWith(error: unknown): void;
  /** Whether a reason to end has been found. */
  readonly ending: boolean;
  /** Takes a piece of output; settles when the next one may be read. Never rejects. */
  take(stream: 'stdout' | 'stderr', chunk: Buffer): Promise<void>;
  /** Writes the specification's input stream to the program, no faster than it reads. */
  feed(stdin: Writable): void;
  /** The last words so far. */
  words(): string;
  /** Raises the peaks. */
  observe(use: SandboxExit['peak']): void;
  /** Stops the clocks: the program has ended. */
  settle(): void;
  /**
   * The exit; `natural` says what the end was when there was no other reason.
   * @throws what a consumer or a source threw.
   */
  finish(natural: () => SandboxEnd): SandboxExit;
}

/** Begins to supervise a sandbox that is being started. */
export function superviseSandbox(
  spec: SandboxSpec,
  hooks: SandboxHooks,
  startedAt: number,
  ending: Ending,
): Supervision {
  const { limits } = spec;
  const stdoutTail = createTail();
  const stderrTail = createTail();
  const peak = { memoryBytes: 0, processes: 0 };
  let end: SandboxEnd | undefined;
  let failure: { error: unknown } | undefined;
  let graceTimer: NodeJS.Timeout | undefined;

  /** The first reason wins: what follows it is its consequence. */
  function endNow(reason: SandboxEnd): void {
    end ??= reason;
    ending.kill();
  }
  function endPolitely(reason: SandboxEnd): void {
    if (end !== undefined) return;
    end = reason;
    ending.terminate();
    graceTimer = setTimeout(() => ending.kill(), limits.graceMs);
  }
  function failWith(error: unknown): void {
    failure ??= { error };
    endNow({ kind: 'stopped' });
  }

  const wallTimer = setTimeout(() => endPolitely({ kind: 'timed_out' }), limits.wallMs);
  const onAbort = (): void => endPolitely({ kind: 'stopped' });
  hooks.signal?.addEventListener('abort', onAbort, { once: true });
  // It may have come while the sandbox was being made.
  if (hooks.signal?.aborted === true) onAbort();

  return {
    endNow,
    failWith,
    get ending() {
      return end !== undefined;
    },
    async take(stream, chunk) {
      // What still comes between the bound and the end of the program is not counted and not kept.
      if (end?.kind === 'output_limit') return;
      (stream === 'stdout' ? stdoutTail : stderrTail).push(chunk);
      try {
        // After the end nobody may be kept waiting by a consumer that waits for more.
        if (stream === 'stdout' && end === undefined) await hooks.onStdout?.(chunk);
      } catch (error) {
        failWith(error);
      }
      if (stdoutTail.totalBytes + stderrTail.totalBytes > limits.outputBytes) {
        endNow({ kind: 'output_limit' });
      }
    },
    feed(stdin) {
      if (spec.stdin !== undefined && !(spec.stdin instanceof Uint8Array)) {
        feed(stdin, spec.stdin, failWith);
      }
    },
    words: () => stderrTail.result().text,
    observe(use) {
      peak.memoryBytes = Math.max(peak.memoryBytes, use.memoryBytes);
      peak.processes = Math.max(peak.processes, use.processes);
    },
    settle() {
      clearTimeout(wallTimer);
      clearTimeout(graceTimer);
      hooks.signal?.removeEventListener('abort', onAbort);
    },
    finish(natural) {
      if (failure !== undefined) throw failure.error;
      return {
        end: end ?? natural(),
        durationMs: performance.now() - startedAt,
        stdout: stdoutTail.result(),
        stderr: stderrTail.result(),
        peak,
      };
    },
  };
}

/** The exit of a sandbox in which nothing ran. */
export function exitWithout(end: SandboxEnd, startedAt: number): SandboxExit {
  const none = createTail().result();
  return {
    end,
    durationMs: performance.now() - startedAt,
    stdout: none,
    stderr: none,
    peak: { memoryBytes: 0, processes: 0 },
  };
}

function feed(
  stdin: Writable,
  source: AsyncIterable<Uint8Array>,
  failWith: (error: unknown) => void,
): void {
  let sourceFailed = false;
  async function* watched(): AsyncGenerator<Uint8Array> {
    const pieces = source[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await pieces.next().catch((error: unknown) => {
          sourceFailed = true;
          throw error;
        });
        if (next.done === true) return;
        // Here, not above, the pipeline throws what befell the program's end of the pipe.
        yield next.value;
      }
    } finally {
      await pieces.return?.();
    }
  }
  pipeline(Readable.from(watched()), stdin).catch((error: unknown) => {
    // A program that does not read its input to the end is no fault; a source that breaks is.
    if (sourceFailed) failWith(error);
  });
}
