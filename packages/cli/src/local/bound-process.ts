/**
 * Starts a process that cannot outlive the one that started it, even when that one is killed with SIGKILL: the kernel is
 * asked to signal the child at its parent's death. Between the fork and that request lies a moment in which the parent
 * may already be gone; a one-line shell closes it by comparing its parent with the expected one before it becomes the
 * program. The same line is where another OS account is taken on, since doing so clears the request.
 */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { OsAccount } from './os-account.ts';

const GUARD = '[ "$PPID" = "$1" ] || exit 125; shift; exec "$@"';
const POLL_MS = 10;

export interface BoundCommand {
  readonly argv: readonly [string, ...string[]];
  /** The whole environment of the child: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Runs as this OS account; only root can ask for it. */
  readonly account?: OsAccount | undefined;
  /** What the child receives when this process ends without having stopped it. */
  readonly deathSignal: 'SIGKILL' | 'SIGTERM' | 'SIGQUIT';
  readonly stdio: StdioOptions;
}

/**
 * Starts the command in a session of its own (a Ctrl-C in the terminal reaches only the parent, which then ends its
 * children in order). Call it from the main thread: the kernel watches the thread that forked, not the whole process.
 */
export function spawnBound(command: BoundCommand): ChildProcess {
  const { account } = command;
  const identity = account
    ? ['--reuid', String(account.uid), '--regid', String(account.gid), '--clear-groups']
    : [];
  return spawn(
    'setpriv',
    [
      ...identity,
      '--pdeathsig',
      command.deathSignal.slice('SIG'.length),
      '--',
      '/bin/sh',
      '-c',
      GUARD,
      'sh',
      String(process.pid),
      ...command.argv,
    ],
    { env: { ...command.env }, cwd: command.cwd, stdio: command.stdio, detached: true },
  );
}

/** Whether the child has ended (or never began). */
export function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

/** Waits until the child has ended; false when it still runs after `timeoutMs`. */
export async function waitForExit(child: ChildProcess, timeoutMs: number): Promise<boolean> {
  if (hasExited(child)) return true;
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle(false), timeoutMs);
    const onExit = () => settle(true);
    function settle(ended: boolean): void {
      clearTimeout(timer);
      child.off('exit', onExit);
      resolve(ended);
    }
    child.once('exit', onExit);
  });
}

/** Sends the signals in turn, each with its own time to work; SIGKILL follows the last. Returns when the child has ended. */
export async function endProcess(
  child: ChildProcess,
  steps: readonly { readonly signal: NodeJS.Signals; readonly timeoutMs: number }[],
): Promise<void> {
  for (const { signal, timeoutMs } of steps) {
    if (hasExited(child)) return;
    child.kill(signal);
    if (await waitForExit(child, timeoutMs)) return;
  }
  child.kill('SIGKILL');
  await waitForExit(child, 5_000);
}

/**
 * Asks `isReady` every 10 ms until it answers yes.
 * @throws Error when the child ends first or `timeoutMs` passes; `describe` supplies what is known (its log's end).
 */
export async function waitUntilReady(
  child: ChildProcess,
  isReady: () => Promise<boolean> | boolean,
  options: { readonly name: string; readonly timeoutMs: number; readonly describe: () => string },
): Promise<void> {
  const deadline = Date.now() + options.timeoutMs;
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  for (;;) {
    if (failure)
      throw new Error(`starting ${options.name}: ${failure.message}`, { cause: failure });
    if (hasExited(child)) {
      throw new Error(`starting ${options.name}: it ended at once\n${options.describe()}`);
    }
    if (await isReady()) return;
    if (Date.now() > deadline) {
      throw new Error(
        `starting ${options.name}: not ready after ${options.timeoutMs} ms\n${options.describe()}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
