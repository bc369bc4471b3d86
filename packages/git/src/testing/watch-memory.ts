/** Watches the processes that this one started: which there are, and their resident memory to its peak. For tests. */
import { readdirSync, readFileSync } from 'node:fs';

const SAMPLE_MS = 20;

/** Samples until `stop()`, which returns the largest peak of one descendant in bytes. */
export function watchMemory(): { stop(): number } {
  let peak = 0;
  const timer = setInterval(() => {
    for (const pid of descendantsOf(process.pid)) peak = Math.max(peak, peakOf(pid));
  }, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}

/** Every process that descends from this one. */
export function descendantsOf(ancestor: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const parent = Number(/^PPid:\s+(\d+)/m.exec(statusOf(pid))?.[1] ?? Number.NaN);
    if (Number.isInteger(parent)) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found: number[] = [];
  const open = [ancestor];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const own = children.get(next) ?? [];
    found.push(...own);
    open.push(...own);
  }
  return found;
}

function peakOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(statusOf(pid))?.[1] ?? 0) * 1_024;
}

function statusOf(pid: number): string {
  if (!Number.isInteger(pid)) return '';
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return '';
  }
}
