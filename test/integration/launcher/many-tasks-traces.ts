/**
 * What a sandbox from namespaces leaves on a machine, if it leaves anything: processes, the namespaces that they keep alive,
 * mounts, and control groups. Found by looking at /proc, by a directory whose name no other test knows.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

export interface Traces {
  /** Remembers the control groups of what is at work now; how many processes that are in namespaces of their own. */
  look(): number;
  /** A line for each trace. */
  find(): string[];
}

/** Traces of whatever has something of this directory: in its mounts, its environment, its words or its open files. */
export function createTraces(directory: string): Traces {
  const groups = new Set<string>();
  const own = readlinkSync('/proc/self/ns/mnt');

  function isOfOurs(pid: string): boolean {
    const places = ['cmdline', 'environ', 'mountinfo'].map((name) => read(`/proc/${pid}/${name}`));
    return [...places, ...openFiles(pid)].some((text) => text.includes(directory));
  }

  return {
    look() {
      const inside = listProcesses().filter((pid) => isInside(pid, own) && isOfOurs(pid));
      for (const pid of inside) {
        for (const group of groupsOf(pid)) groups.add(group);
      }
      return inside.length;
    },
    find() {
      const processes = listProcesses().filter(
        (pid) => pid !== String(process.pid) && isOfOurs(pid),
      );
      const mounts = read('/proc/self/mountinfo')
        .split('\n')
        .filter((line) => line.includes(directory));
      return [
        ...processes.map(
          (pid) =>
            `process ${pid} ${read(`/proc/${pid}/comm`).trim()} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`,
        ),
        ...mounts.map((line) => `mount ${line}`),
        ...[...groups].filter((group) => existsSync(group)).map((group) => `group ${group}`),
      ];
    },
  };
}

function listProcesses(): string[] {
  return readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
}

function isInside(pid: string, own: string): boolean {
  const link = readLink(`/proc/${pid}/ns/mnt`);
  return link !== '' && link !== own;
}

function openFiles(pid: string): string[] {
  try {
    const names = ['cwd', 'root', ...readdirSync(`/proc/${pid}/fd`).map((fd) => `fd/${fd}`)];
    return names.map((name) => readLink(`/proc/${pid}/${name}`));
  } catch {
    return [];
  }
}

/** Directories of the control groups that a launcher made for this process. */
function groupsOf(pid: string): string[] {
  const roots = read('/proc/self/mountinfo')
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(' ')[4] ?? '');
  return read(`/proc/${pid}/cgroup`)
    .split('\n')
    .map((line) => line.split(':').slice(2).join(':'))
    .filter((path) => /\/sallyport-[^/]+$/.test(path))
    .flatMap((path) => roots.map((root) => join(root, path)))
    .filter((path) => existsSync(path));
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It ended between the listing and the reading.
    return '';
  }
}
