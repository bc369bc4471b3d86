/**
 * Counts a sandbox's processes in the kernel where the launcher may make control groups: as root, whom the kernel exempts
 * from the limit per user, this is what stands between a fork bomb and the host. Elsewhere nothing is made.
 */
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface ProcessGroup {
  /** A directory whose `cgroup.procs` the sandbox's first process enters. */
  readonly directory: string;
  /** Removes the group; call it when no process is left in it. */
  remove(): void;
}

/** A group that holds at most `maxProcesses` threads, or undefined where none can be made. */
export function createProcessGroup(name: string, maxProcesses: number): ProcessGroup | undefined {
  for (const parent of candidates()) {
    const directory = join(parent, name);
    try {
      mkdirSync(directory);
    } catch {
      continue;
    }
    try {
      writeFileSync(join(directory, 'pids.max'), String(maxProcesses), { flag: 'r+' });
      return { directory, remove: () => removeGroup(directory) };
    } catch {
      // The controller is not at work in this place: one further up may be.
      removeGroup(directory);
    }
  }
  return undefined;
}

function removeGroup(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Left to whoever cleans up: an empty group costs nothing and holds nobody.
  }
}

let known: string[] | undefined;

/** The launcher's own group in the hierarchy that counts processes, and those above it, nearest first. */
function candidates(): string[] {
  known ??= findCandidates();
  return known;
}

function findCandidates(): string[] {
  const mounts = readLines('/proc/self/mountinfo').map(readMount);
  const groups = readLines('/proc/self/cgroup').map((line) => line.split(':'));
  const found: string[] = [];
  for (const [, controllers = '', ...rest] of groups) {
    const isUnified = controllers === '';
    if (!isUnified && !controllers.split(',').includes('pids')) continue;
    const mount = mounts.find((m) =>
      isUnified ? m.type === 'cgroup2' : m.type === 'cgroup' && m.options.includes('pids'),
    );
    if (mount === undefined) continue;
    for (let path = rest.join(':'); ; path = dirname(path)) {
      found.push(join(mount.target, path));
      if (path === '/' || path === '.') break;
    }
  }
  return found;
}

function readMount(line: string): { target: string; type: string; options: string[] } {
  const [before = '', after = ''] = line.split(' - ');
  const [type = '', , options = ''] = after.split(' ');
  return { target: before.split(' ')[4] ?? '', type, options: options.split(',') };
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}
