/**
 * Starts one program and is certain of its end: an argument list and no shell, an environment that is given whole, caps
 * on time and output, and death of the whole process group when a cap is passed. All children of this package are
 * started here.
 */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { AppError } from '@sallyport/shared/errors';
import { quoteForLog } from './quote-for-log.ts';

export interface SpawnRequest {
  /** Program (absolute path) and arguments. */
  argv: readonly [string, ...string[]];
  env: Readonly<Record<string, string>>;
  cwd?: string;
  stdin?: Uint8Array | AsyncIterable<Uint8Array>;
  timeoutMs: number;
  /** Output is counted and, past this, the child is killed. */
  maxStdoutBytes: number;
  /** Takes each piece instead of the result's buffer. Returning `stop` kills the child; a throw kills it and is rethrown. */
  onStdout?: (chunk: Buffer) => 'go_on' | 'stop';
  /** A descriptor of this process that the child sees as 3. */
  inheritFd?: number;
  /** A descriptor that the child writes its output to, past this process; `maxStdoutBytes` then holds nothing. */
  stdoutFd?: number;
}

/** How a child came to its end: by itself, or killed by us for the named reason. */
export type SpawnEnd = 'exited' | 'timed_out' | 'output_capped' | 'stopped';

export interface SpawnResult {
  end: SpawnEnd;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  /** The last 4 KiB, scrubbed and escaped. */
  stderr: string;
}

const STDERR_TAIL_BYTES = 4_096;

/**
 * Runs the program to its end.
 * @throws AppError `unavailable` when it cannot be started; whatever `onStdout` or the input threw.
 */
export async function spawnLimited(request: SpawnRequest): Promise<SpawnResult> {
  const [program, ...args] = request.argv;
  const stdio: StdioOptions = ['pipe', request.stdoutFd ?? 'pipe', 'pipe'];
  if (request.inheritFd !== undefined) stdio.push(request.inheritFd);
  const child = spawn(program, args, {
    env: request.env,
    cwd: request.cwd ?? '/',
    shell: false,
    // A group of its own, so that the helpers of git (remote-https, pack-objects) die with it.
    detached: true,
    stdio,
  });
  let broken: { cause: unknown } | undefined;
  feed(child, request.stdin).catch((cause: unknown) => {
    broken = { cause };
    killGroup(child);
  });
  // Not the end of the input is awaited but that of the child: an input that stalls must not outlast the time limit.
  const result = await collect(child, request);
  if (broken !== undefined) throw broken.cause;
  return result;
}

function collect(child: ChildProcess, request: SpawnRequest): Promise<SpawnResult> {
  return new Promise((resolve, reject) => {
    let end: SpawnEnd = 'exited';
    let failure: unknown;
    let size = 0;
    const chunks: Buffer[] = [];
    let tail = Buffer.alloc(0);

    function kill(why: SpawnEnd): void {
      if (end === 'exited') end = why;
      killGroup(child);
    }
    const timer = setTimeout(() => kill('timed_out'), request.timeoutMs);

    child.stdout?.on('data', (chunk: Buffer) => {
      if (end !== 'exited' || failure !== undefined) return;
      size += chunk.length;
      if (size > request.maxStdoutBytes) return kill('output_capped');
      if (request.onStdout === undefined) return void chunks.push(chunk);
      try {
        if (request.onStdout(chunk) === 'stop') kill('stopped');
      } catch (error) {
        failure = error;
        killGroup(child);
      }
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      tail = Buffer.concat([tail, chunk]).subarray(-STDERR_TAIL_BYTES);
    });
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(new AppError('unavailable', `starting ${request.argv[0]}`, { cause: error }));
    });
    // A grandchild that outlived its parent would keep working in a directory that is about to be removed.
    child.on('exit', () => killGroup(child));
    child.on('close', (exitCode, signal) => {
      clearTimeout(timer);
      if (failure !== undefined) return reject(failure);
      resolve({ end, exitCode, signal, stdout: Buffer.concat(chunks), stderr: quoteForLog(tail) });
    });
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}

async function feed(child: ChildProcess, input: SpawnRequest['stdin']): Promise<void> {
  const { stdin } = child;
  if (stdin === null) return;
  // A child that refuses its input early closes the pipe; its exit status tells the story.
  let broken = false;
  stdin.on('error', () => (broken = true));
  const closed = new Promise<void>((resolve) => stdin.once('close', () => resolve()));
  if (input instanceof Uint8Array) {
    stdin.write(input);
  } else if (input !== undefined) {
    for await (const chunk of input) {
      if (broken || stdin.destroyed) break;
      if (!stdin.write(chunk)) {
        await Promise.race([new Promise<void>((r) => stdin.once('drain', () => r())), closed]);
      }
    }
  }
  if (!stdin.destroyed) stdin.end();
}
