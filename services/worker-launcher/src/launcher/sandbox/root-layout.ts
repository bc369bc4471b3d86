/**
 * The file system that every sandbox starts from: the host's programs read-only, an /etc of our own making, scratch
 * space in memory. Whatever else of the host a sandbox sees must stand in its specification as a mount.
 */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** User and group inside every sandbox; outside they are the launcher's own. */
export const INSIDE_UID = 1000;
export const INSIDE_HOME = '/home/agent';
/** The file systems in memory of every sandbox. */
export const SCRATCH_PLACES = ['/tmp', '/run', '/dev/shm', INSIDE_HOME] as const;
const RUN_BYTES = String(16 * 1024 * 1024);
const NODE_OUTSIDE_USR = '/opt/sallyport/node';
const ETC_FILES = ['passwd', 'group', 'hosts', 'resolv.conf', 'nsswitch.conf'] as const;
const MERGED_USR_NAMES = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'] as const;

/** Where the Node binary that runs this process is found inside a sandbox. */
export function nodeInside(execPath: string = process.execPath): string {
  const real = realpathSync(execPath);
  return real.startsWith('/usr/') ? real : NODE_OUTSIDE_USR;
}

/**
 * The bubblewrap arguments for the root file system. What is written to its scratch file systems lies in memory but
 * belongs to no process, so that together they are bounded by `scratchBytes`.
 */
export function rootArguments(scratchBytes: number, execPath: string = process.execPath): string[] {
  const half = String(Math.floor(scratchBytes / 2));
  const quarter = String(Math.floor(scratchBytes / 4));
  const args = ['--ro-bind', '/usr', '/usr'];
  for (const name of MERGED_USR_NAMES) args.push(...mergedUsr(name));
  // Read-only, because for a launcher that is root its sandboxes own the kernel's settings in it, such as the program that
  // the kernel runs, on the host, for whatever crashes.
  args.push('--proc', '/proc', '--remount-ro', '/proc');
  // bubblewrap's /dev is itself a file system in memory without a size; only /dev/shm stays writable, with one.
  args.push(
    '--dev',
    '/dev',
    '--size',
    quarter,
    '--perms',
    '1777',
    '--tmpfs',
    '/dev/shm',
    '--remount-ro',
    '/dev',
  );
  args.push('--dir', '/etc');
  for (const name of ETC_FILES) {
    args.push('--ro-bind', fileURLToPath(new URL(`etc/${name}`, import.meta.url)), `/etc/${name}`);
  }
  // Debian's awk, pager and friends are links through here into /usr.
  args.push('--ro-bind-try', '/etc/alternatives', '/etc/alternatives');
  args.push('--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache');
  args.push('--size', half, '--perms', '1777', '--tmpfs', '/tmp');
  args.push('--dir', '/var', '--symlink', '/tmp', '/var/tmp');
  args.push('--size', RUN_BYTES, '--perms', '0755', '--tmpfs', '/run');
  args.push('--dir', '/home', '--size', quarter, '--perms', '0700', '--tmpfs', INSIDE_HOME);
  const real = realpathSync(execPath);
  if (!real.startsWith('/usr/')) args.push('--ro-bind', real, NODE_OUTSIDE_USR);
  return args;
}

function mergedUsr(name: string): string[] {
  const path = `/${name}`;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  // Distributions that did not merge /usr have real directories here, with the loader in them.
  return found.isSymbolicLink()
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind', path, path];
}
