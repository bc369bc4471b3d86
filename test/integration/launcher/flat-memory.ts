/** Watches the memory of a process that reads what a sandbox prints. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { FloodOptions } from '../../support/local/run-flood.ts';

const PROGRAM = fileURLToPath(new URL('../../support/local/run-flood.ts', import.meta.url));
const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));
const SAMPLE_MS = 100;
const MIB = 1024 * 1024;

/** Has a sandbox print so much, all of which must come. @returns how far the reader's memory went from what it was, in MiB */
export async function measureDrift(options: FloodOptions): Promise<number> {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, JSON.stringify(options)], {
    cwd: CHECKOUT,
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const warm = await lines.next();
    expect(JSON.parse(String(warm.value))).toMatchObject({ end: { kind: 'exited', code: 0 } });
    const before = pssOf(child.pid);
    const samples: number[] = [];
    const timer = setInterval(() => {
      // It may have ended, with its last words still to be read here.
      if (existsSync(`/proc/${child.pid}/smaps_rollup`)) samples.push(pssOf(child.pid));
    }, SAMPLE_MS);
    child.stdin.end('go\n');
    const last = await lines.next();
    clearInterval(timer);
    expect(JSON.parse(String(last.value))).toEqual({
      end: { kind: 'exited', code: 0 },
      totalBytes: options.bytes,
    });
    expect(samples.length).toBeGreaterThan(0);
    return Math.max(...samples.map((sample) => Math.abs(sample - before))) / MIB;
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** Its proportional share of memory. */
function pssOf(pid: number | undefined): number {
  const found = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  return Number(found?.[1]) * 1024;
}
