/**
 * Watches what running sandboxes use and reports the first limit that one of them passes. Disk has no limit in the kernel
 * that an unprivileged launcher could set, memory and processes only where it may make control groups: the rest is
 * sampled, one look at /proc for all sandboxes together.
 */
import type { SandboxEnd, SandboxLimits } from './driver.ts';
import {
  descendantsOf,
  exactMemoryBytes,
  measure,
  measureScratch,
  takeCensus,
  type TreeUse,
} from './process-census.ts';

export const SAMPLE_MS = 100;

export interface Watched {
  /** The host's pid of the first process in the sandbox. */
  rootPid: number;
  limits: SandboxLimits;
  /** File systems in memory, as paths inside: what lies there belongs to no process. */
  scratch: readonly string[];
  /** How often the kernel ended a process of it for want of memory. */
  memoryKills(): number;
  onUse(use: TreeUse): void;
  onLimit(end: SandboxEnd): void;
}

export interface LimitWatch {
  /** Begins to watch; the returned function ends it. */
  watch(entry: Watched): () => void;
}

/** The limit that this use passes, if any. */
export function passedLimit(use: TreeUse, limits: SandboxLimits): SandboxEnd | undefined {
  if (use.memoryBytes > limits.memoryBytes) return { kind: 'memory_limit' };
  if (use.writtenBytes > limits.diskBytes) return { kind: 'disk_limit' };
  return undefined;
}

/** Creates a watch whose timer runs only while there is something to watch. */
export function createLimitWatch(sampleMs: number = SAMPLE_MS): LimitWatch {
  const entries = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;

  function sample(): void {
    const census = takeCensus();
    for (const entry of entries) {
      const rows = descendantsOf(census, entry.rootPid);
      const threads = rows.reduce((sum, row) => sum + row.threads, 0);
      if (threads > entry.limits.processes) {
        // At once: looking closer at thousands of processes takes time in which they double.
        entry.onLimit({ kind: 'process_limit' });
        continue;
      }
      if (entry.memoryKills() > 0) {
        // The kernel ended one process and spared the others; what goes on without it is of no use to anybody.
        entry.onLimit({ kind: 'memory_limit' });
        continue;
      }
      const scratchBytes = measureScratch(entry.rootPid, entry.scratch);
      const use = measure(entry.rootPid, rows, scratchBytes);
      if (use.memoryBytes > entry.limits.memoryBytes) {
        use.memoryBytes = exactMemoryBytes(rows, scratchBytes);
      }
      entry.onUse(use);
      const end = passedLimit(use, entry.limits);
      if (end !== undefined) entry.onLimit(end);
    }
  }

  return {
    watch(entry) {
      entries.add(entry);
      timer ??= setInterval(sample, sampleMs);
      return () => {
        entries.delete(entry);
        if (entries.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
