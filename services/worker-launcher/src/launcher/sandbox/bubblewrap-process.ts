/**
 * One started bubblewrap: how its report is read, how it is ended, how one knows that nothing of it is left. The first
 * process of the namespace takes all others with it, and the kernel lets it become a zombie only when they are gone.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { WALL_OPTIONS } from './bubblewrap-arguments.ts';
import type { LaunchGuard } from './launch-guard.ts';
import type { ControlGroup } from './control-groups.ts';
import { createStandardStreams, type StandardStreams } from './standard-streams.ts';
import { descendantsOf, readProcess, takeCensus, type ProcessRow } from './process-census.ts';

const ARGUMENTS_FD = 3;
const STATUS_FD = 4;
const FILTER_FD = 5;
const GONE_POLL_MS = 1;
/** As /proc writes it, in octal. */
const CLOSE_ON_EXEC = 0o2000000;
const REPORT_WAIT_MS = 1_000;

const GO = 'go';

// Waits for the word on the pipe that carries the options: of a launcher that was killed meanwhile it has only the end. Then
// enters the control groups given before "--". A thread that moves itself need not wait until the kernel has stopped all
// others from forking, which takes some milliseconds; the file for that is there in the older generation of groups alone.
const ENTER_AND_START = `
read -r word <&${ARGUMENTS_FD} && [ "$word" = ${GO} ] || exit 125
while [ "$1" != -- ]; do
  if [ -e "$1/tasks" ]; then entry=$1/tasks; else entry=$1/cgroup.procs; fi
  echo 0 > "$entry" || exit 125
  shift
done; shift
exec "$@"`;
// Descriptors that the launcher inherited without the close-on-exec flag (from a supervisor, say) would otherwise be open
// in the sandbox's first process, where the program could open them anew.
const CLOSE_INHERITED = `
for f in /proc/self/fd/*; do f=\${f##*/}; [ "$f" -gt ${FILTER_FD} ] && eval "exec $f>&-"; done`;

export interface BubblewrapProcess {
  /** Null when the input was given beforehand. */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The first process of the namespace, as soon as there is one; undefined when bubblewrap ended before. */
  readonly started: Promise<number | undefined>;
  /** Settles when no process is left: the program's exit status, or undefined when the program never ran. */
  readonly ended: Promise<number | undefined>;
  /** The error of starting bubblewrap itself. */
  readonly spawnError: () => NodeJS.ErrnoException | undefined;
  /** How often the kernel ended one of its processes because the sandbox's memory was used up. */
  readonly memoryKills: () => number;
  /** Asks all processes to end. */
  terminate(): void;
  /** Ends all processes. */
  kill(): void;
}

export interface BubblewrapStart {
  binary: string;
  /** Given through a pipe, so that neither host paths nor the environment stand in the process list. */
  options: readonly string[];
  program: readonly string[];
  /** What makes the mounts that bubblewrap cannot make itself and goes on as bubblewrap. */
  prelude: readonly string[];
  input: Uint8Array | 'stream';
  /** The system calls that are refused, as the kernel reads it. */
  filter: Buffer | undefined;
  /** The sandbox's control group, which is made here and removed when nothing of the sandbox is left. */
  group: { directories: readonly string[]; make: () => ControlGroup };
  guard: LaunchGuard;
}

/**
 * Starts bubblewrap; the process group that it leads is the guard's until it has ended.
 * @throws what `group.make` threw.
 */
export async function startBubblewrap(start: BubblewrapStart): Promise<BubblewrapProcess> {
  const streams = await createStandardStreams(start.input, start.guard.scratch());
  const { filter } = start;
  // Whenever the launcher is killed from here on, the guard or the child itself ends what was begun: groups are announced
  // before they are made, and the child does not go on before it is told to, which is after the guard knows of it.
  const unannounce = start.guard.announce(start.group.directories);
  const group = makeGroup(start, streams, unannounce);
  const fds = ['--args', String(ARGUMENTS_FD), '--json-status-fd', String(STATUS_FD)].concat(
    // Not through the pipe: a bubblewrap that is told of a filter and gets none does not start.
    filter === undefined ? [] : ['--seccomp', String(FILTER_FD)],
  );
  const [program, ...words] = startingShell();
  const child = spawn(
    program,
    words
      .concat(group.directories, '--')
      .concat(start.prelude, start.binary, WALL_OPTIONS, fds, '--', start.program),
    // Its own process group: a signal from the launcher's terminal is the launcher's to handle.
    { cwd: '/', env: {}, detached: true, stdio: [...streams.childEnds, 'pipe', 'pipe', 'pipe'] },
  );
  const unprotect =
    child.pid === undefined ? () => undefined : start.guard.protect(child.pid, group.directories);
  unannounce();
  streams.closeChildEnds();
  const argumentPipe = child.stdio[ARGUMENTS_FD] as Writable;
  const statusPipe = child.stdio[STATUS_FD] as Readable;
  let spawnError: NodeJS.ErrnoException | undefined;
  let memoryKills: number | undefined;
  child.once('error', (error) => {
    spawnError = error;
  });
  // Closed early when bubblewrap refuses to start; its exit tells.
  argumentPipe.on('error', () => undefined);
  const filterPipe = (child.stdio as readonly unknown[])[FILTER_FD] as Writable;
  filterPipe.on('error', () => undefined);
  filterPipe.end(filter);
  argumentPipe.end(`${GO}\n${start.options.map((option) => `${option}\0`).join('')}`);

  const report = readReport(statusPipe);
  let first: ProcessRow | undefined;
  const started = report.childPid.then((pid) => {
    first = pid === undefined ? undefined : readProcess(pid);
    return pid;
  });

  function firstIsAlive(): boolean {
    if (first === undefined) return false;
    const now = readProcess(first.pid);
    return (
      now !== undefined &&
      now.startTicks === first.startTicks &&
      now.state !== 'Z' &&
      now.state !== 'X'
    );
  }

  async function end(): Promise<number | undefined> {
    await exitOf(child);
    await started;
    // bubblewrap leaves when the program does; what the program left running dies with the namespace a moment later.
    while (firstIsAlive()) {
      killFirst();
      await sleep(GONE_POLL_MS);
    }
    memoryKills = group.memoryKills();
    unprotect(group.remove());
    // Its last words may still be in the pipe when its end is already known.
    await Promise.race([report.closed, sleep(REPORT_WAIT_MS, undefined, { ref: false })]);
    return report.exitCode();
  }

  function killFirst(): void {
    if (first !== undefined && firstIsAlive()) signalProcess(first.pid, 'SIGKILL');
  }

  function kill(): void {
    if (first !== undefined) return killFirst();
    // Still being set up: bubblewrap and its child share the process group until then.
    if (child.pid !== undefined && child.exitCode === null) signalProcess(-child.pid, 'SIGKILL');
  }

  return {
    stdin: child.stdin,
    stdout: streams.stdout,
    stderr: streams.stderr,
    started,
    ended: end(),
    spawnError: () => spawnError,
    memoryKills: () => memoryKills ?? group.memoryKills(),
    terminate() {
      if (first === undefined) return kill();
      for (const { pid } of descendantsOf(takeCensus(), first.pid)) signalProcess(pid, 'SIGTERM');
    },
    kill,
  };
}

function makeGroup(
  start: BubblewrapStart,
  streams: StandardStreams,
  unannounce: () => void,
): ControlGroup {
  try {
    return start.group.make();
  } catch (error) {
    unannounce();
    streams.closeChildEnds();
    streams.stdout.destroy();
    streams.stderr.destroy();
    throw error;
  }
}

let shell: readonly [string, ...string[]] | undefined;

/** The shell that goes on as bubblewrap: the quicker one, where it has nothing to close. */
function startingShell(): readonly [string, ...string[]] {
  // Looked at once: what Node itself opens is closed by every exec.
  shell ??= inheritsFiles()
    ? [
        '/bin/bash',
        '--norc',
        '--noprofile',
        '-c',
        `${CLOSE_INHERITED}${ENTER_AND_START}`,
        'sandbox',
      ]
    : ['/bin/sh', '-c', ENTER_AND_START, 'sandbox'];
  return shell;
}

function inheritsFiles(): boolean {
  return readdirSync('/proc/self/fd').some((fd) => {
    if (Number(fd) <= 2) return false;
    try {
      const flags = /^flags:\s+([0-7]+)$/m.exec(
        readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'),
      )?.[1];
      return (Number.parseInt(flags ?? '0', 8) & CLOSE_ON_EXEC) === 0;
    } catch {
      // The listing's own.
      return false;
    }
  });
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself in between.
  }
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
}

interface Report {
  childPid: Promise<number | undefined>;
  /** Settles when nothing more can come. */
  closed: Promise<void>;
  /** Written by bubblewrap only when the program was really started. */
  exitCode(): number | undefined;
}

function readReport(pipe: Readable): Report {
  let text = '';
  let resolvePid: (pid: number | undefined) => void;
  const childPid = new Promise<number | undefined>((resolve) => {
    resolvePid = resolve;
  });
  const find = (name: string): number | undefined => {
    const found = new RegExp(`"${name}": (\\d+)`).exec(text);
    return found === null ? undefined : Number(found[1]);
  };
  pipe.setEncoding('utf8');
  pipe.on('data', (piece: string) => {
    text += piece;
    const pid = find('child-pid');
    if (pid !== undefined) resolvePid(pid);
  });
  pipe.on('error', () => resolvePid(undefined));
  const closed = new Promise<void>((resolve) => {
    pipe.on('close', () => {
      resolvePid(find('child-pid'));
      resolve();
    });
  });
  return { childPid, closed, exitCode: () => find('exit-code') };
}
