/**
 * Starts a process that cannot outlive the one that started it, even when that one is killed with SIGKILL: the kernel is
 * asked to signal the child at its parent's death. Between the fork and that request lies a moment in which the parent
 * may already be gone; a one-line shell closes it by comparing its parent with the expected one before it becomes the
 * program. The same line is where another OS account is taken on, since doing so clears the request, and where what no
 * process of ours needs is given up for good: gaining privileges by a set-user-id program, and core dumps of its memory.
 */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { OsAccount } from './os-account.ts';

// The shell adds variables of its own to the environment; the program is to have none that it was not given.
const GUARD =
  '[ "$PPID" = "$1" ] || exit 125; shift; ulimit -c 0; exec env -u PWD -u OLDPWD -u SHLVL -u _ "$@"';
// Read-only, so that nothing that runs below the second place can harm what lies in the first.
const BIND =
  'mount --bind "$1" "$2" && mount -o remount,bind,ro "$2" || exit 125; shift 2; exec "$@"';
// A process that cannot enter goes on without: it finds out what bounds it, and says so.
const ENTER = 'while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs"; shift; done; shift; exec "$@"';
const POLL_MS = 10;

/** A directory that the child alone also finds, read-only, at another place. */
export interface Bind {
  readonly source: string;
  /** An existing directory. */
  readonly target: string;
}

export interface BoundCommand {
  readonly argv: readonly [string, ...string[]];
  /** The whole environment of the child: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Runs as this OS account; only root can ask for it. */
  readonly account?: OsAccount | undefined;
  /** Made in a mount namespace of the child's own, so that it is gone with the child; only root can ask for it. */
  readonly bind?: Bind | undefined;
  /** Control groups that the child enters while it is still this user. */
  readonly controlGroups?: readonly string[] | undefined;
  /** Lets set-user-id programs work below the child; by default they gain it nothing. */
  readonly mayGainPrivileges?: boolean | undefined;
  /** What the child receives when this process ends without having stopped it. */
  readonly deathSignal: 'SIGKILL' | 'SIGTERM' | 'SIGQUIT';
  readonly stdio: StdioOptions;
}

/**
 * Starts the command in a session of its own (a Ctrl-C in the terminal reaches only the parent, which then ends its
 * children in order). Call it from the main thread: the kernel watches the thread that forked, not the whole process.
 */
export function spawnBound(command: BoundCommand): ChildProcess {
  const argv = [
    ...enterArguments(command.controlGroups ?? []),
    ...bindArguments(command.bind),
    'setpriv',
    ...identityArguments(command.account),
    ...(command.mayGainPrivileges === true ? [] : ['--no-new-privs']),
    '--pdeathsig',
    command.deathSignal.slice('SIG'.length),
    '--',
    '/bin/sh',
    '-c',
    GUARD,
    'sh',
    String(process.pid),
    ...command.argv,
  ];
  const [program = 'setpriv', ...rest] = argv;
  return spawn(program, rest, {
    env: { ...command.env },
    cwd: command.cwd,
    stdio: command.stdio,
    detached: true,
  });
}

/** The words that run what follows them with the directory bound; none without one. */
export function bindArguments(bind: Bind | undefined): string[] {
  if (bind === undefined) return [];
  return ['unshare', '--mount', '--', '/bin/sh', '-c', BIND, 'sh', bind.source, bind.target];
}

function enterArguments(groups: readonly string[]): string[] {
  return groups.length === 0 ? [] : ['/bin/sh', '-c', ENTER, 'sh', ...groups, '--'];
}

/** What setpriv is told so that what follows runs as the account and has no other group. */
export function identityArguments(account: OsAccount | undefined): string[] {
  if (account === undefined) return [];
  return ['--reuid', String(account.uid), '--regid', String(account.gid), '--clear-groups'];
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
