/**
 * Turns a specification into what bubblewrap is told. Pure but for a look at the host's root directory, so that a test
 * can read the wall off the list: all namespaces, no capabilities, an empty environment, a root nobody can write to.
 */
import { checkSpec } from './check-spec.ts';
import type { SandboxMount, SandboxSpec } from './driver.ts';
import { mergedDirectory } from './overlay-mounts.ts';
import { INSIDE_UID, rootArguments } from './root-layout.ts';

export interface WallOptions {
  /** Forbids the program to make user namespaces of its own, and with them much of the kernel's attack surface. */
  forbidNestedUserNamespaces: boolean;
}

/**
 * What holds for every sandbox, given on the command line itself: a bubblewrap that reads no further options, because the
 * launcher died, must not run anything without walls.
 */
export const WALL_OPTIONS: readonly string[] = [
  '--unshare-user',
  '--unshare-all',
  '--die-with-parent',
  '--new-session',
  '--cap-drop',
  'ALL',
  '--clearenv',
  '--uid',
  String(INSIDE_UID),
  '--gid',
  String(INSIDE_UID),
  '--hostname',
  'sandbox',
];

/**
 * The further options of bubblewrap for this specification, without the program itself.
 * @throws AppError `bad_input` that names the part of the specification which cannot be used.
 */
export function bubblewrapOptions(spec: SandboxSpec, options: WallOptions): string[] {
  checkSpec(spec);
  const args: string[] = [];
  for (const [name, value] of Object.entries(spec.env)) args.push('--setenv', name, value);
  args.push(...rootArguments(spec.limits.memoryBytes));
  for (const mount of spec.mounts) args.push(...mountArguments(mount));
  // Last, because the mount points above are made in this root.
  args.push('--remount-ro', '/', '--chdir', spec.cwd);
  if (options.forbidNestedUserNamespaces) args.push('--disable-userns');
  return args;
}

/** The program that sets the limits inherited by all others, followed by the program asked for. */
export function limitedProgram(spec: SandboxSpec): string[] {
  const { processes, fileBytes, openFiles, wallMs } = spec.limits;
  return [
    '/usr/bin/prlimit',
    `--nproc=${processes}`,
    `--fsize=${fileBytes}`,
    `--nofile=${openFiles}`,
    '--core=0',
    // A second line for the case that the launcher's own timer is held up: no process computes longer than the wall
    // time on every core of a large machine.
    `--cpu=${Math.ceil(wallMs / 1000) * 64}`,
    '--',
    ...spec.argv,
  ];
}

function mountArguments(mount: SandboxMount): string[] {
  if (mount.kind === 'tmpfs') {
    return ['--size', String(mount.sizeBytes), '--perms', '0755', '--tmpfs', mount.target];
  }
  const source = mount.kind === 'overlay' ? mergedDirectory(mount) : mount.source;
  return [mount.access === 'read_only' ? '--ro-bind' : '--bind', source, mount.target];
}
