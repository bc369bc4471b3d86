/**
 * Runs one git command under the fixed environment, resource limits of the kernel and, if given, inside a sandbox.
 * Callers get bytes or an AppError whose code says whether to try again; git's own words are only ever shown.
 */
import { AppError } from '@sallyport/shared/errors';
import {
  gitEnvironment,
  gitGlobalArguments,
  type GitEnvironmentOptions,
  type GitOrigin,
} from './environment.ts';
import { GIT, PRLIMIT } from './programs.ts';
import { spawnLimited, type SpawnRequest, type SpawnResult } from './spawn-limited.ts';

/** Limits that the kernel holds over one child and each of its own children; absent means unlimited. */
export interface ResourceLimits {
  addressSpaceBytes?: number;
  cpuSeconds: number;
  fileBytes?: number;
  openFiles: number;
}

/** For objects that an agent wrote. */
export const HOSTILE_RESOURCES = {
  addressSpaceBytes: 1_073_741_824,
  cpuSeconds: 15,
  fileBytes: 67_108_864,
  openFiles: 64,
} as const satisfies ResourceLimits;

/** For whole repositories as GitHub serves them. */
export const SOURCE_RESOURCES: ResourceLimits = {
  addressSpaceBytes: 4_294_967_296,
  cpuSeconds: 300,
  fileBytes: 1_073_741_824,
  openFiles: 256,
};

/** A program and its arguments. */
export type Argv = readonly [string, ...string[]];

export interface GitCommand extends GitEnvironmentOptions {
  /** Subcommand and its arguments; every value in it is fixed, an object name, or stands after `--`. */
  args: readonly [string, ...string[]];
  config?: readonly string[];
  stdin?: SpawnRequest['stdin'];
  timeoutMs?: number;
  maxStdoutBytes?: number;
  onStdout?: SpawnRequest['onStdout'];
  inheritFd?: number;
  stdoutFd?: number;
  resources?: ResourceLimits;
  /** Puts a sandbox around the command: gets the whole argument list and the environment, returns the list to start. */
  wrap?: (argv: Argv, env: Readonly<Record<string, string>>) => Argv;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_STDOUT_BYTES = 1_048_576;

/** The argument list of `prlimit` that holds a command to the limits. */
export function limitArguments(limits: ResourceLimits): Argv {
  // Plain bytes throughout: this program takes a suffix for one byte and the child then dies of it.
  return [
    PRLIMIT,
    ...(limits.addressSpaceBytes === undefined ? [] : [`--as=${limits.addressSpaceBytes}`]),
    `--cpu=${limits.cpuSeconds}`,
    ...(limits.fileBytes === undefined ? [] : [`--fsize=${limits.fileBytes}`]),
    '--core=0',
    `--nofile=${limits.openFiles}`,
  ];
}

/** Runs the command and returns how it ended, whatever that was. @throws AppError `unavailable` if it cannot start. */
export async function attemptGit(command: GitCommand): Promise<SpawnResult> {
  const origin: GitOrigin = command.origin ?? 'hostile';
  const resources =
    command.resources ?? (origin === 'hostile' ? HOSTILE_RESOURCES : SOURCE_RESOURCES);
  const env = gitEnvironment(command);
  const argv: Argv = [
    ...limitArguments(resources),
    GIT,
    ...gitGlobalArguments(origin, command.config),
    ...command.args,
  ];
  return spawnLimited({
    argv: command.wrap === undefined ? argv : command.wrap(argv, env),
    env,
    timeoutMs: command.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxStdoutBytes: command.maxStdoutBytes ?? DEFAULT_MAX_STDOUT_BYTES,
    ...(command.stdin === undefined ? {} : { stdin: command.stdin }),
    ...(command.onStdout === undefined ? {} : { onStdout: command.onStdout }),
    ...(command.inheritFd === undefined ? {} : { inheritFd: command.inheritFd }),
    ...(command.stdoutFd === undefined ? {} : { stdoutFd: command.stdoutFd }),
  });
}

/**
 * Runs the command and returns its standard output.
 * @throws AppError `transient` when its time ran out, `too_large` when its output, file size or processor time did,
 * `bad_input` when git refused (detail: `exitCode`, `signal`, `stderr`).
 */
export async function runGit(command: GitCommand): Promise<Buffer> {
  const result = await attemptGit(command);
  if (result.end === 'exited' && result.exitCode === 0) return result.stdout;
  throw gitFailure(command.args[0], result);
}

const LIMIT_SIGNALS: ReadonlySet<string> = new Set(['SIGXCPU', 'SIGXFSZ', 'SIGKILL', 'SIGSEGV']);

/** The error that an unsuccessful end of a git command stands for. */
export function gitFailure(subcommand: string, result: SpawnResult): AppError {
  const detail = {
    end: result.end,
    exitCode: result.exitCode,
    signal: result.signal,
    stderr: result.stderr,
  };
  if (result.end === 'timed_out') {
    return new AppError('transient', `git ${subcommand} ran out of time`, { detail });
  }
  if (result.end !== 'exited' || hitKernelLimit(result)) {
    return new AppError('too_large', `git ${subcommand} passed its limits`, { detail });
  }
  return new AppError('bad_input', `git ${subcommand} refused: ${result.stderr}`, { detail });
}

/** Whether the kernel ended the child for passing a limit (also seen through a wrapper, as 128 + signal). */
export function hitKernelLimit(result: SpawnResult): boolean {
  if (result.signal !== null) return LIMIT_SIGNALS.has(result.signal);
  return (
    result.exitCode !== null && [128 + 9, 128 + 11, 128 + 24, 128 + 25].includes(result.exitCode)
  );
}
