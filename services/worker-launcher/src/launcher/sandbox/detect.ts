/**
 * Finds out, by trying, how well sandboxes hold on this machine: a wall that exists on paper is not reported. Meant for
 * whoever deploys and for the launcher's start, which refuses to run agents where a wall is missing.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  BUBBLEWRAP_PATH,
  createBubblewrapDriver,
  type BubblewrapDriverOptions,
} from './bubblewrap-driver.ts';
import type { SandboxDriver, SandboxExit, SandboxLimits, SandboxSpec } from './driver.ts';

/** `kernel`: cannot be passed. `sampled`: passed for at most a sampling interval, then the sandbox ends. */
export type Enforcement = 'kernel' | 'sampled' | 'missing';

export interface SandboxReport {
  usable: boolean;
  /** Why no sandbox can be had, in the driver's words. */
  problem?: string;
  version: string | undefined;
  /** Nothing can be reached, not even this host's own loopback. */
  network: Enforcement;
  nestedUserNamespaces: Enforcement;
  processes: Enforcement;
  memory: Enforcement;
  fileSize: Enforcement;
  disk: Enforcement;
}

const MIB = 1024 * 1024;
const LIMITS: SandboxLimits = {
  wallMs: 10_000,
  graceMs: 200,
  memoryBytes: 256 * MIB,
  processes: 64,
  fileBytes: 1 * MIB,
  diskBytes: 64 * MIB,
  outputBytes: 1 * MIB,
  openFiles: 128,
};

export interface DetectOptions extends BubblewrapDriverOptions {
  /** Where sandboxes will write, the launcher's state directory: what goes to a disk is counted, what stays in memory is not. */
  directory?: string;
}

/** Tries every wall once; takes one or two seconds and leaves nothing behind. */
export async function detectSandbox(options: DetectOptions = {}): Promise<SandboxReport> {
  const driver = createBubblewrapDriver(options);
  const first = await driver.run(probe('true'));
  const report: SandboxReport = {
    usable: succeeded(first),
    version: await readVersion(options.binary ?? BUBBLEWRAP_PATH),
    network: 'missing',
    nestedUserNamespaces: 'missing',
    processes: 'missing',
    memory: 'missing',
    fileSize: 'missing',
    disk: 'missing',
  };
  if (!report.usable) {
    report.problem = first.end.kind === 'start_failed' ? first.end.detail : first.stderr.text;
    return report;
  }
  report.network = await tryNetwork(driver);
  const nested = await driver.run(probe('unshare --user true'));
  report.nestedUserNamespaces = succeeded(nested) ? 'missing' : 'kernel';
  // Root is exempt from the kernel's count of processes; then the sampling must do.
  report.processes = judge(
    await driver.run(probe(manyProcesses, { processes: 24 })),
    'process_limit',
  );
  const memory = judge(
    await driver.run(probe(muchMemory, { memoryBytes: 32 * MIB })),
    'memory_limit',
  );
  // Ended alike by either; the driver knows whom it asked.
  const byKernel = memory === 'sampled' && driver.limitsEnforcedBy.memory === 'kernel';
  report.memory = byKernel ? 'kernel' : memory;
  report.fileSize = judge(await driver.run(probe('head -c 2000000 /dev/zero > /tmp/x')), undefined);
  report.disk = await tryDisk(driver, options.directory ?? tmpdir());
  return report;
}

// sh gives up when it cannot fork; bash would wait and try again.
const manyProcesses = `exec /bin/sh -c 'for i in ${'1 '.repeat(28)}; do sleep 1 & done; wait'`;
// The shell itself holds the value: scratch space in memory has a limit of its own and would prove nothing.
const muchMemory = 'x=$(head -c 60000000 /dev/zero | tr "\\0" x); sleep 1; echo ${#x}';

function probe(script: string, limits: Partial<SandboxLimits> = {}): SandboxSpec {
  return {
    id: 'detect',
    argv: ['/bin/bash', '-c', script],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/tmp',
    mounts: [],
    network: 'none',
    limits: { ...LIMITS, ...limits },
    labels: {},
  };
}

function succeeded(exit: SandboxExit): boolean {
  return exit.end.kind === 'exited' && exit.end.code === 0;
}

function judge(exit: SandboxExit, sampledEnd: string | undefined): Enforcement {
  if (exit.end.kind === sampledEnd) return 'sampled';
  return succeeded(exit) ? 'missing' : 'kernel';
}

async function tryNetwork(driver: SandboxDriver): Promise<Enforcement> {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const exit = await driver.run(probe(`exec 5<>/dev/tcp/127.0.0.1/${port}`));
    return succeeded(exit) ? 'missing' : 'kernel';
  } finally {
    server.close();
  }
}

async function tryDisk(driver: SandboxDriver, parent: string): Promise<Enforcement> {
  const source = await mkdtemp(join(parent, 'detect-'));
  try {
    const script =
      'i=0; while [ $i -lt 40 ]; do head -c 900000 /dev/zero > /m/$i; i=$((i + 1)); sleep 0.02; done';
    const spec = probe(script, { diskBytes: 4 * MIB });
    const mounts = [
      { kind: 'bind', role: 'probe', source, target: '/m', access: 'read_write' },
    ] as const;
    return judge(await driver.run({ ...spec, mounts }), 'disk_limit');
  } finally {
    await rm(source, { recursive: true });
  }
}

async function readVersion(binary: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(binary, ['--version'], { env: {} });
    return /\d+(\.\d+)+/.exec(stdout)?.[0];
  } catch {
    return undefined;
  }
}
