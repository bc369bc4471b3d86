/**
 * The wall around children that read hostile bytes or talk to a remote: bubblewrap with no namespaces shared, no
 * capabilities, an environment set variable by variable, and a file system that holds /usr and what the call names.
 * Whether a host allows it is found out by doing it, because distributions forbid it in different places.
 */
import { AppError } from '@sallyport/shared/errors';
import { gitEnvironment } from './environment.ts';
import { BWRAP, GIT } from './programs.ts';
import type { Argv, GitCommand } from './run-git.ts';
import { spawnLimited } from './spawn-limited.ts';

/** What this host offers. What `none` means (refuse, warn, other walls stand) is the caller's decision. */
export type Isolation = { kind: 'bubblewrap' } | { kind: 'none'; reason: string };

/** A path of the host that the child sees, at the same place unless `at` names another. */
export interface Mount {
  path: string;
  at?: string;
}

export interface Sandbox {
  readOnly?: readonly Mount[];
  writable?: readonly Mount[];
  /** Shares the network and the files that name resolution and TLS need. Default: no network at all. */
  network?: boolean;
  chdir?: string;
}

const NETWORK_FILES = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/gai.conf',
  '/etc/ssl',
  '/etc/ca-certificates',
  '/etc/pki',
];

/** The whole argument list that runs `argv` inside the sandbox; the descriptor 3 of the caller passes through. */
export function bubblewrapArguments(
  sandbox: Sandbox,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): Argv {
  return [
    BWRAP,
    '--unshare-all',
    ...(sandbox.network === true ? ['--share-net'] : []),
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--clearenv',
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    '--ro-bind',
    '/usr',
    '/usr',
    '--symlink',
    'usr/lib',
    '/lib',
    '--symlink',
    'usr/lib64',
    '/lib64',
    '--symlink',
    'usr/bin',
    '/bin',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--tmpfs',
    '/tmp',
    ...(sandbox.network === true ? NETWORK_FILES.flatMap((f) => ['--ro-bind-try', f, f]) : []),
    ...(sandbox.readOnly ?? []).flatMap((m) => ['--ro-bind', m.path, m.at ?? m.path]),
    ...(sandbox.writable ?? []).flatMap((m) => ['--bind', m.path, m.at ?? m.path]),
    '--chdir',
    sandbox.chdir ?? '/',
    '--',
    ...argv,
  ];
}

/** The argument list for this host: inside the sandbox, or as it is where none can be had. */
export function isolate(
  isolation: Isolation,
  sandbox: Sandbox,
  argv: Argv,
  env: Readonly<Record<string, string>>,
): Argv {
  return isolation.kind === 'bubblewrap' ? bubblewrapArguments(sandbox, argv, env) : argv;
}

/** The same as the `wrap` of a git command. */
export function wrapIn(isolation: Isolation, sandbox: Sandbox): NonNullable<GitCommand['wrap']> {
  return (argv, env) => isolate(isolation, sandbox, argv, env);
}

const PROBE_TIMEOUT_MS = 10_000;

/** Tries the sandbox once with a git command in it. Never throws: whatever goes wrong is the reason for `none`. */
export async function detectIsolation(): Promise<Isolation> {
  const env = gitEnvironment();
  try {
    const result = await spawnLimited({
      argv: bubblewrapArguments({}, [GIT, '--version'], env),
      env,
      timeoutMs: PROBE_TIMEOUT_MS,
      maxStdoutBytes: 4_096,
    });
    if (result.end === 'exited' && result.exitCode === 0) return { kind: 'bubblewrap' };
    const why =
      result.stderr === '' ? `ended with ${result.signal ?? result.exitCode}` : result.stderr;
    return { kind: 'none', reason: `bubblewrap cannot make a sandbox here: ${why}` };
  } catch (error) {
    const why = error instanceof AppError ? error.message : String(error);
    return { kind: 'none', reason: `bubblewrap cannot be started: ${why}` };
  }
}
