/**
 * Reads where this process stands among the kernel's control groups, and names the groups under which it may try to make
 * others: in the first generation a hierarchy per controller, in the second one for all.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Hierarchy {
  version: 1 | 2;
  /** Of the controllers asked for, those that may be at work here. */
  controllers: readonly ('memory' | 'pids')[];
  mountPoint: string;
  /** This process's own group, from the mount point on. */
  own: string;
}

/** The hierarchies with these controllers, the first generation's first: a controller is at work in one alone. */
export function readHierarchies(root: string, wanted: readonly ('memory' | 'pids')[]): Hierarchy[] {
  const mounts = readLines(join(root, '/proc/self/mountinfo')).map(readMount);
  const groups = readLines(join(root, '/proc/self/cgroup')).map((line) => line.split(':'));
  const found: Hierarchy[] = [];
  for (const [, names = '', ...rest] of groups) {
    const version = names === '' ? 2 : 1;
    const controllers = version === 2 ? wanted : wanted.filter((c) => names.split(',').includes(c));
    if (controllers.length === 0) continue;
    const mount = mounts.find((m) =>
      version === 2
        ? m.type === 'cgroup2'
        : m.type === 'cgroup' && controllers.every((c) => m.options.includes(c)),
    );
    if (mount === undefined) continue;
    found.push({ version, controllers, mountPoint: mount.target, own: below(mount, rest) });
  }
  return found.toSorted((a, b) => a.version - b.version);
}

/** Groups to try, the nearest first. */
export function parentsIn({ version, mountPoint, own }: Hierarchy, root: string): string[] {
  const parents: string[] = [];
  for (let path = own; ; path = dirname(path)) {
    parents.push(join(root, mountPoint, path));
    if (path === '/' || path === '.') break;
  }
  // In the second generation a group with processes has no groups with limits, but for the uppermost: the parent may.
  return version === 2 && parents.length > 1 ? parents.slice(1) : parents;
}

interface Mount {
  /** Which part of the hierarchy is shown at `target`. */
  shown: string;
  target: string;
  type: string;
  options: string[];
}

function below({ shown }: Mount, path: readonly string[]): string {
  const own = path.join(':');
  if (shown === '/' || !own.startsWith(shown)) return own;
  // In a container the mount often shows its own part alone, under names as the host has them.
  return own.slice(shown.length) || '/';
}

function readMount(line: string): Mount {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , shown = '/', target = ''] = before.split(' ');
  const [type = '', , options = ''] = after.split(' ');
  return { shown, target, type, options: options.split(',') };
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}
