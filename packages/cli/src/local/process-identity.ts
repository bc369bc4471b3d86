/**
 * Tells one process from a later one that got the same number. A pid alone is no proof of life: it is reused within
 * minutes on a busy machine, and what is decided on it here is whether to delete a directory or to signal a process.
 */
import { readFileSync, readlinkSync } from 'node:fs';

/** What a process writes down about itself; `startTime` is in clock ticks since boot, as the kernel counts them. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
  /** The pid namespace that `pid` is a number of, so that a container sharing the directory is not taken for dead. */
  readonly namespace: string;
}

/** The identity of the running process `pid`, or undefined when there is none (or only its zombie). */
export function readProcessIdentity(pid: number): ProcessIdentity | undefined {
  const startTime = readStartTime(pid);
  return startTime === undefined ? undefined : { pid, startTime, namespace: pidNamespace() };
}

/** The identity of the calling process. */
export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    startTime: readStartTime(process.pid) ?? '',
    namespace: pidNamespace(),
  };
}

/** Whether the process is known to have ended. What cannot be known (another pid namespace) counts as alive. */
export function hasEnded(identity: ProcessIdentity): boolean {
  if (identity.namespace !== pidNamespace()) return false;
  return readStartTime(identity.pid) !== identity.startTime;
}

function readStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return 'unknown';
  }
}
