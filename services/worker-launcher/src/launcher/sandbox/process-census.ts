/**
 * Finds the processes of a sandbox from outside, with their memory, threads and disk writes. Everything in a process
 * namespace descends from its first process, and orphans fall back to it, so the tree below that one is complete;
 * no process can leave it by forking, double forking or changing its session.
 */
import { readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';

/** What the kernel keeps of a file in memory beside its content, about. */
const INODE_BYTES = 1024;
const TMPFS_MAGIC = 0x01_02_19_94;

export interface ProcessRow {
  pid: number;
  parent: number;
  state: string;
  threads: number;
  /** In clock ticks since boot: with the pid, the identity of a process. */
  startTicks: number;
}

export interface TreeUse {
  memoryBytes: number;
  threads: number;
  writtenBytes: number;
}

/** One row of /proc, or undefined when the process is gone. */
export function readProcess(pid: number): ProcessRow | undefined {
  const text = readProc(pid, 'stat');
  if (text === undefined) return undefined;
  // The name, in brackets, is chosen by the process and may contain anything, also brackets.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    state: fields[0] ?? 'X',
    parent: Number(fields[1]),
    threads: Number(fields[17]),
    startTicks: Number(fields[19]),
  };
}

/** All processes of the host that this user can see, by parent. */
export function takeCensus(): Map<number, ProcessRow[]> {
  const byParent = new Map<number, ProcessRow[]>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const row = readProcess(pid);
    if (row === undefined) continue;
    const siblings = byParent.get(row.parent);
    if (siblings === undefined) byParent.set(row.parent, [row]);
    else siblings.push(row);
  }
  return byParent;
}

/** The descendants of `root`, without the root itself: that is bubblewrap's own first process. */
export function descendantsOf(
  census: ReadonlyMap<number, ProcessRow[]>,
  root: number,
): ProcessRow[] {
  const rows: ProcessRow[] = [];
  const open = [root];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    for (const row of census.get(parent) ?? []) {
      open.push(row.pid);
      rows.push(row);
    }
  }
  return rows;
}

/** What these processes use; disk writes of those that have ended stand in the account of `root`. */
export function measure(root: number, rows: readonly ProcessRow[], scratchBytes: number): TreeUse {
  const use: TreeUse = { memoryBytes: 0, threads: 0, writtenBytes: writtenBytes(root) };
  let sharedBytes = 0;
  for (const row of rows) {
    use.threads += row.threads;
    // Without files: libraries counted once per process would add up to nonsense. With page tables, which grow by touching
    // memory that counts nowhere else.
    const status = readProc(row.pid, 'status');
    use.memoryBytes += kibibytes(status, /^(?:RssAnon|VmPTE):\s+(\d+) kB$/gm);
    sharedBytes += kibibytes(status, /^RssShmem:\s+(\d+) kB$/gm);
    use.writtenBytes += writtenBytes(row.pid);
  }
  use.memoryBytes += Math.max(sharedBytes, scratchBytes);
  return use;
}

/**
 * The memory of these processes with every shared page counted once. Exact but costly (the kernel walks the page
 * tables): for the moment before a sandbox is ended on the word of the cheap sum, in which shared pages count per process.
 * What is shared lies for the most part in scratch space, and counts once for both.
 */
export function exactMemoryBytes(rows: readonly ProcessRow[], scratchBytes: number): number {
  let bytes = 0;
  let sharedBytes = 0;
  for (const { pid } of rows) {
    const rollup = readProc(pid, 'smaps_rollup');
    bytes += kibibytes(rollup, /^Pss_Anon:\s+(\d+) kB$/gm);
    sharedBytes += kibibytes(rollup, /^Pss_Shmem:\s+(\d+) kB$/gm);
    bytes += kibibytes(readProc(pid, 'status'), /^VmPTE:\s+(\d+) kB$/gm);
  }
  return bytes + Math.max(sharedBytes, scratchBytes);
}

/** What lies in the file systems in memory that the process `root` sees at these paths, empty files included. */
export function measureScratch(root: number, paths: readonly string[]): number {
  let bytes = 0;
  for (const path of paths) {
    try {
      // In its first milliseconds it still sees the host, whose own file systems would pass for what it has filled.
      if (seesHost(root)) return 0;
      const { type, bsize, blocks, bfree, files, ffree } = statfsSync(`/proc/${root}/root${path}`);
      if (type !== TMPFS_MAGIC) continue;
      bytes += (blocks - bfree) * bsize + (files - ffree) * INODE_BYTES;
    } catch {
      // It has ended, or is still being set up.
    }
  }
  return bytes;
}

function seesHost(pid: number): boolean {
  const own = statSync('/');
  const its = statSync(`/proc/${pid}/root/`);
  return own.dev === its.dev && own.ino === its.ino;
}

function kibibytes(text: string | undefined, lines: RegExp): number {
  let sum = 0;
  for (const found of (text ?? '').matchAll(lines)) sum += Number(found[1]);
  return sum * 1024;
}

/** Bytes sent to disk by this process and by the children that it has already buried. */
function writtenBytes(pid: number): number {
  const found = /^write_bytes: (\d+)$/m.exec(readProc(pid, 'io') ?? '');
  return found === null ? 0 : Number(found[1]);
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    // It ended between the listing and the reading.
    return undefined;
  }
}
