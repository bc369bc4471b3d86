/**
 * One supervised process from start to end: its log goes to a file, its ready line is awaited, and when it has ended
 * nothing of its process group is left.
 */
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { hasExited, endProcess, spawnBound, type Bind } from './bound-process.ts';
import { readLines } from './line-reader.ts';
import type { OsAccount } from './os-account.ts';

const OUTPUT_GRACE_MS = 1_000;

export interface ServiceProcess {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly account?: OsAccount | undefined;
  readonly bind?: Bind | undefined;
  readonly mayGainPrivileges?: boolean | undefined;
  readonly controlGroups?: readonly string[] | undefined;
  /** Both output streams are appended to this file (0600). */
  readonly logFile: string;
  /** Called with each line of output, for a terminal. */
  readonly onLine?: (line: string) => void;
  /** How long it may take until its first JSON line with `msg` `ready`; 0: it is ready once started. */
  readonly readyTimeoutMs: number;
}

/** How a process ended: its exit code, or the signal that ended it. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningProcess {
  readonly pid: number | undefined;
  /** The fields of the ready line (say, the port that was chosen); rejects when the process ends or is late. */
  readonly ready: Promise<Readonly<Record<string, unknown>>>;
  readonly ended: Promise<Ended>;
  /** SIGTERM, then SIGKILL for the whole group after `deadlineMs`. */
  stop(deadlineMs: number): Promise<void>;
  /** SIGKILL for the whole group, now. */
  kill(): void;
}

/** Starts the process. Never throws: what goes wrong is in `ready` and `ended`. */
export function startProcess(spec: ServiceProcess): RunningProcess {
  const log = openSync(spec.logFile, 'a', 0o600);
  const child = spawnBound({ ...spec, deathSignal: 'SIGKILL', stdio: ['ignore', 'pipe', 'pipe'] });
  let announce: (fields: Readonly<Record<string, unknown>>) => void = () => undefined;
  const announced = new Promise<Readonly<Record<string, unknown>>>((resolve) => {
    announce = resolve;
  });
  if (spec.readyTimeoutMs === 0) announce({});

  let closed = false;
  function take(line: string): void {
    if (closed) return;
    writeSync(log, `${line}\n`);
    spec.onLine?.(line);
    const fields = parseReadyLine(line);
    if (fields) announce(fields);
  }
  for (const stream of [child.stdout, child.stderr]) if (stream) readLines(stream, take);

  const ended = new Promise<Ended>((resolve) => {
    // 'close' comes after the last output was read; 'error' alone when there was never a process.
    child.once('error', (error) => {
      take(error.message);
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
    child.once('exit', (code, signal) => {
      killGroup(child);
      // A grandchild that left the group may hold the pipe open for as long as it lives.
      setTimeout(() => resolve({ code, signal }), OUTPUT_GRACE_MS).unref();
    });
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  void ended.then(() => {
    closed = true;
    closeSync(log);
  });
  return {
    pid: child.pid,
    ready: readyInTime(spec, announced, ended),
    ended,
    async stop(deadlineMs) {
      await endProcess(child, [{ signal: 'SIGTERM', timeoutMs: deadlineMs }]);
      await ended;
    },
    kill() {
      if (!hasExited(child)) killGroup(child);
    },
  };
}

/** The fields of a log line that says its process is ready, else undefined. */
export function parseReadyLine(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{') || !line.includes('"ready"')) return undefined;
  try {
    const fields: unknown = JSON.parse(line);
    if (typeof fields !== 'object' || fields === null || !('msg' in fields)) return undefined;
    return fields.msg === 'ready' ? { ...fields } : undefined;
  } catch {
    return undefined;
  }
}

async function readyInTime(
  spec: ServiceProcess,
  announced: Promise<Readonly<Record<string, unknown>>>,
  ended: Promise<Ended>,
): Promise<Readonly<Record<string, unknown>>> {
  let timer: NodeJS.Timeout | undefined;
  const failed = ended.then(({ code, signal }) => {
    throw new Error(
      `${spec.name} ended before it was ready (${signal ?? `exit code ${code}`}); see ${spec.logFile}`,
    );
  });
  const late = new Promise<never>((_, reject) => {
    if (spec.readyTimeoutMs === 0) return;
    timer = setTimeout(
      () =>
        reject(
          new Error(
            `${spec.name} was not ready after ${spec.readyTimeoutMs} ms; see ${spec.logFile}`,
          ),
        ),
      spec.readyTimeoutMs,
    );
  });
  try {
    return await Promise.race([announced, failed, late]);
  } finally {
    clearTimeout(timer);
    // The loser of the race rejects later, when nobody listens any more.
    failed.catch(() => undefined);
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    // Its own session, so its own group: what it started and did not end goes with it.
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is empty.
  }
}
