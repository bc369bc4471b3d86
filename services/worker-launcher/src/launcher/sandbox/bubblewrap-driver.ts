/**
 * Sandboxes from unprivileged namespaces: no daemon, no image, some milliseconds to start, and nothing that outlives the
 * launcher, because the kernel ends the namespace when bubblewrap's parent dies. Works as root and as an ordinary user.
 */
import { accessSync } from 'node:fs';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@sallyport/shared/errors';
import { bubblewrapOptions, limitedProgram } from './bubblewrap-arguments.ts';
import { startBubblewrap, type BubblewrapProcess } from './bubblewrap-process.ts';
import type {
  SandboxDriver,
  SandboxEnd,
  SandboxExit,
  SandboxHooks,
  SandboxMount,
  SandboxSpec,
} from './driver.ts';
import { createLaunchGuard } from './launch-guard.ts';
import { createLimitWatch, type LimitWatch } from './limit-watch.ts';
import { createTail } from './output-tail.ts';
import { makeViews, overlayPrelude } from './overlay-mounts.ts';
import { nodeInside } from './root-layout.ts';

export const BUBBLEWRAP_PATH = '/usr/bin/bwrap';
// bubblewrap's own two processes are in the group as well.
const OWN_PROCESSES = 2;

export interface BubblewrapDriverOptions {
  binary?: string;
  /** False only where the kernel refuses it (`detect.ts` says so). */
  forbidNestedUserNamespaces?: boolean;
}

/** Creates the driver. One per process is enough: its sandboxes share one look at /proc. */
export function createBubblewrapDriver(options: BubblewrapDriverOptions = {}): SandboxDriver {
  const binary = options.binary ?? BUBBLEWRAP_PATH;
  const wall = { forbidNestedUserNamespaces: options.forbidNestedUserNamespaces ?? true };
  const limitWatch = createLimitWatch();
  const guard = createLaunchGuard();
  return {
    name: 'bubblewrap',
    node: nodeInside(),
    async run(spec, hooks = {}) {
      const startedAt = performance.now();
      const refusal = refuseToStart(spec, hooks, binary);
      if (refusal !== undefined) return exitOf(refusal, startedAt);
      let wallOptions: string[];
      let prelude: string[];
      try {
        wallOptions = bubblewrapOptions(spec, wall);
        prelude = overlayPrelude(spec.mounts);
        await makeViews(spec.mounts);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return exitOf(
          { kind: 'start_failed', reason: 'bad_spec', detail: error.message },
          startedAt,
        );
      }
      const sandbox = await startBubblewrap({
        binary,
        options: wallOptions,
        prelude,
        program: limitedProgram(spec),
        input: inputOf(spec),
        maxProcesses: spec.limits.processes + OWN_PROCESSES,
        guard,
      });
      return superviseSandbox(sandbox, spec, hooks, limitWatch, startedAt);
    },
  };
}

function refuseToStart(
  spec: SandboxSpec,
  hooks: SandboxHooks,
  binary: string,
): SandboxEnd | undefined {
  if (hooks.signal?.aborted === true) return { kind: 'stopped' };
  for (const [file, name] of [
    [binary, 'bubblewrap'],
    ['/bin/bash', 'bash'],
    ['/usr/bin/prlimit', 'util-linux'],
  ]) {
    if (file !== undefined && isThere(file)) continue;
    const detail = `${file} is not there; install the package ${name}`;
    return { kind: 'start_failed', reason: 'driver_missing', detail };
  }
  for (const mount of spec.mounts) {
    for (const source of sourcesOf(mount)) {
      if (isThere(source)) continue;
      const detail = `mount ${mount.role}: ${source} is not there or not readable by this user`;
      return { kind: 'start_failed', reason: 'mount_missing', detail };
    }
  }
  return undefined;
}

function sourcesOf(mount: SandboxMount): readonly string[] {
  if (mount.kind === 'tmpfs') return [];
  return mount.kind === 'bind' ? [mount.source] : mount.layers;
}

async function superviseSandbox(
  sandbox: BubblewrapProcess,
  spec: SandboxSpec,
  hooks: SandboxHooks,
  limitWatch: LimitWatch,
  startedAt: number,
): Promise<SandboxExit> {
  const stdoutTail = createTail();
  const stderrTail = createTail();
  const peak = { memoryBytes: 0, processes: 0 };
  let end: SandboxEnd | undefined;
  let failure: { error: unknown } | undefined;
  let graceTimer: NodeJS.Timeout | undefined;

  /** The first reason wins: what follows it is its consequence. */
  function endNow(reason: SandboxEnd): void {
    end ??= reason;
    sandbox.kill();
  }
  function endPolitely(reason: SandboxEnd): void {
    if (end !== undefined) return;
    end = reason;
    sandbox.terminate();
    graceTimer = setTimeout(() => sandbox.kill(), spec.limits.graceMs);
  }
  function failWith(error: unknown): void {
    failure ??= { error };
    endNow({ kind: 'stopped' });
  }

  const wallTimer = setTimeout(() => endPolitely({ kind: 'timed_out' }), spec.limits.wallMs);
  const onAbort = (): void => endPolitely({ kind: 'stopped' });
  hooks.signal?.addEventListener('abort', onAbort, { once: true });
  // It may have come while the pipes were made.
  if (hooks.signal?.aborted === true) onAbort();
  let unwatch = (): void => undefined;
  void sandbox.started.then((rootPid) => {
    if (rootPid === undefined || settled) return;
    unwatch = limitWatch.watch({
      rootPid,
      limits: spec.limits,
      onLimit: endNow,
      onUse(use) {
        peak.memoryBytes = Math.max(peak.memoryBytes, use.memoryBytes);
        peak.processes = Math.max(peak.processes, use.threads);
      },
    });
  });
  let settled = false;

  async function drain(
    stream: Readable,
    keep: (chunk: Buffer) => void | Promise<void>,
  ): Promise<void> {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      await keep(chunk);
      if (stdoutTail.totalBytes + stderrTail.totalBytes > spec.limits.outputBytes) {
        endNow({ kind: 'output_limit' });
      }
    }
  }
  const output = drain(sandbox.stdout, async (chunk) => {
    stdoutTail.push(chunk);
    // After the end nobody may be kept waiting by a consumer that waits for more.
    if (end === undefined) await hooks.onStdout?.(chunk);
  }).catch(failWith);
  const errors = drain(sandbox.stderr, (chunk) => stderrTail.push(chunk)).catch(failWith);
  if (sandbox.stdin !== null && spec.stdin !== undefined && !(spec.stdin instanceof Uint8Array)) {
    feed(sandbox.stdin, spec.stdin, failWith);
  }

  const code = await sandbox.ended;
  settled = true;
  clearTimeout(wallTimer);
  clearTimeout(graceTimer);
  unwatch();
  hooks.signal?.removeEventListener('abort', onAbort);
  await Promise.all([output, errors]);
  if (failure !== undefined) throw failure.error;
  end ??= naturalEnd(code, sandbox, stderrTail.result().text);
  return {
    end,
    durationMs: performance.now() - startedAt,
    stdout: stdoutTail.result(),
    stderr: stderrTail.result(),
    peak,
  };
}

function inputOf({ stdin }: SandboxSpec): Uint8Array | 'stream' {
  if (stdin === undefined) return new Uint8Array();
  return stdin instanceof Uint8Array ? stdin : 'stream';
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

function naturalEnd(
  code: number | undefined,
  sandbox: BubblewrapProcess,
  words: string,
): SandboxEnd {
  if (code === undefined) {
    const error = sandbox.spawnError();
    return { kind: 'start_failed', reason: 'setup_failed', detail: error?.message ?? words.trim() };
  }
  const signal = FATAL_SIGNALS.get(code - 128);
  return signal === undefined ? { kind: 'exited', code } : { kind: 'signalled', signal };
}

// bubblewrap reports a death by signal as 128 + number. Only signals that end a program which did not ask for them are
// told apart from the same number given to exit(): git, for one, exits with 128 and 129.
const FATAL_SIGNALS: ReadonlyMap<number, string> = new Map([
  [4, 'SIGILL'],
  [6, 'SIGABRT'],
  [7, 'SIGBUS'],
  [8, 'SIGFPE'],
  [9, 'SIGKILL'],
  [11, 'SIGSEGV'],
  [15, 'SIGTERM'],
  [24, 'SIGXCPU'],
  [25, 'SIGXFSZ'],
  [31, 'SIGSYS'],
]);

function exitOf(end: SandboxEnd, startedAt: number): SandboxExit {
  const none = createTail().result();
  return {
    end,
    durationMs: performance.now() - startedAt,
    stdout: none,
    stderr: none,
    peak: { memoryBytes: 0, processes: 0 },
  };
}

function isThere(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}
