/** Watches the memory of a process that reads what a sandbox prints. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { FloodOptions } from '../../support/local/run-flood.ts';

const PROGRAM = fileURLToPath(new URL('../../support/local/run-flood.ts', import.meta.url));
const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));
const SAMPLE_MS = 100;
const MIB = 1024 * 1024;
const FLAT_BYTES = 20 * MIB;

/** Has a sandbox print so much, and expects that all of it comes and that the reader's memory stays as it was. */
export async function expectFlatMemory(options: FloodOptions): Promise<void> {
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
    const timer = setInterval(() => samples.push(pssOf(child.pid)), SAMPLE_MS);
    child.stdin.end('go\n');
    const last = await lines.next();
    clearInterval(timer);
    expect(JSON.parse(String(last.value))).toEqual({
      end: { kind: 'exited', code: 0 },
      totalBytes: options.bytes,
    });
    expect(samples.length).toBeGreaterThan(0);
    const least = Math.min(before, ...samples);
    const most = Math.max(before, ...samples);
    const said = `from ${mib(least)} to ${mib(most)}, ${mib(before)} before`;
    expect(most - before, said).toBeLessThanOrEqual(FLAT_BYTES);
    expect(before - least, said).toBeLessThanOrEqual(FLAT_BYTES);
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

function mib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}
