/**
 * The programs that stand beside our sandboxes in the benchmark, as one would start them by hand: the flags are those that
 * the drivers give, the supervision is none. Timed from the start to the exit of the program.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { bubblewrapOptions, WALL_OPTIONS } from '../sandbox/bubblewrap-arguments.ts';
import { BUBBLEWRAP_PATH } from '../sandbox/bubblewrap-driver.ts';
import type { SandboxSpec } from '../sandbox/driver.ts';

const SCRATCH = 'rw,exec,nosuid,nodev';
/** What the engine's guard gives to who asks for none, where there are so many. */
const GUARD_CPUS = 4;
const RUN_BYTES = 16 * 1024 * 1024;

/** `bwrap … true`. @returns milliseconds */
export function runBareBubblewrap(spec: SandboxSpec): Promise<number> {
  const options = bubblewrapOptions(spec, { forbidNestedUserNamespaces: true });
  return time(BUBBLEWRAP_PATH, [...WALL_OPTIONS, ...options, '--', ...spec.argv]);
}

export interface BareDockerOptions {
  engine: string;
  image: string;
  /** Where on the host a directory of the specification lies. */
  directoryOf(source: string): string;
}

/** `docker run --rm … true`. @returns milliseconds */
export function runBareDocker(spec: SandboxSpec, options: BareDockerOptions): Promise<number> {
  const { memoryBytes, processes, fileBytes, openFiles } = spec.limits;
  const quarter = Math.floor(memoryBytes / 4);
  const scratch: Record<string, string> = {
    '/tmp': `size=${Math.floor(memoryBytes / 2)},mode=1777`,
    '/var/tmp': `size=${quarter},mode=1777`,
    '/run': `size=${RUN_BYTES},mode=0755`,
    '/home/agent': `size=${quarter},mode=0700`,
  };
  const [program, ...words] = spec.argv;
  return time('docker', [
    ...['--host', `unix://${options.engine}`, 'run', '--rm', '--network=none', '--read-only'],
    ...['--user=20000:20000', '--cap-drop=ALL', '--security-opt=no-new-privileges:true'],
    ...['--ipc=private', '--cgroupns=private', '--hostname=sandbox', '--log-driver=none'],
    ...[
      '--init',
      '--no-healthcheck',
      `--pids-limit=${processes}`,
      `--cpus=${Math.min(GUARD_CPUS, availableParallelism())}`,
    ],
    ...[`--memory=${memoryBytes}`, `--memory-swap=${memoryBytes}`, `--shm-size=${quarter}`],
    ...[`--ulimit=fsize=${fileBytes}`, `--ulimit=nofile=${openFiles}`, '--ulimit=core=0'],
    ...Object.entries(scratch).map(
      ([place, bound]) => `--tmpfs=${place}:${SCRATCH},${bound},uid=20000,gid=20000`,
    ),
    ...spec.mounts.flatMap((mount) =>
      mount.kind === 'bind'
        ? [
            `--mount=type=bind,source=${options.directoryOf(mount.source)},target=${mount.target},bind-propagation=rprivate${mount.access === 'read_only' ? ',readonly' : ''}`,
          ]
        : [],
    ),
    ...Object.entries(spec.env).map(([name, value]) => `--env=${name}=${value}`),
    ...[`--workdir=${spec.cwd}`, `--entrypoint=${program}`, options.image, ...words],
  ]);
}

async function time(program: string, args: readonly string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(program, args, {
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let words = '';
  child.stdout.resume();
  child.stderr.on('data', (piece: Buffer) => (words += piece.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const took = performance.now() - began;
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${words.trim()}`);
  return took;
}
