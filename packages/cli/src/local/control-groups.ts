/**
 * Hands the launcher's user a control group of its own, so that the kernel bounds the memory and the processes of its
 * sandboxes. Only root can hand one out, and not on every machine: where it cannot be had the launcher watches instead, and
 * says so. What is handed over is a group without limits, in which its owner may make others.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentsIn, readHierarchies, type Hierarchy } from '@sallyport/shared/control-group-places';
import type { OsAccount } from './os-account.ts';

const LEAVE_MS = 4_000;
const POLL_MS = 20;
const CONTROLLERS = ['memory', 'pids'] as const;
/** What its owner must be able to write, in either generation. */
const OWNED_FILES = ['cgroup.procs', 'cgroup.threads', 'cgroup.subtree_control', 'tasks'];

export interface HandedGroups {
  /** The groups that the process enters before it gives up root. */
  readonly enter: readonly string[];
  /** Removes them once the last process has left, for which it waits a few seconds. */
  remove(): Promise<void>;
}

export const NO_GROUPS: HandedGroups = { enter: [], remove: () => Promise.resolve() };

/** Makes the groups for the account, whom they belong to from then on; the same name gives the same groups again. */
export function handOutControlGroups(
  name: string,
  account: OsAccount | undefined,
  root = '',
): HandedGroups {
  if (account === undefined) return NO_GROUPS;
  const made: { directory: string; enter: string }[] = [];
  const served = new Set<string>();
  for (const hierarchy of readHierarchies(root, CONTROLLERS)) {
    if (hierarchy.controllers.every((controller) => served.has(controller))) continue;
    for (const parent of parentsIn(hierarchy, root)) {
      const directory = join(parent, `sallyport-${name}`);
      const enter = tryHandOut(hierarchy, parent, directory, account);
      if (enter === undefined) continue;
      made.push({ directory, enter });
      for (const controller of hierarchy.controllers) served.add(controller);
      break;
    }
  }
  return {
    enter: made.map((group) => group.enter),
    async remove() {
      const deadline = Date.now() + LEAVE_MS;
      for (const { directory } of made) {
        // What cleans up after the launcher lives for a moment longer than it.
        while (!removeGroups(directory) && Date.now() < deadline) await sleep(POLL_MS);
      }
    },
  };
}

/** The group to enter, or undefined where there can be none. */
function tryHandOut(
  { version, controllers }: Hierarchy,
  parent: string,
  directory: string,
  account: OsAccount,
): string | undefined {
  const enable = controllers.map((controller) => `+${controller}`).join(' ');
  try {
    if (version === 2)
      writeFileSync(join(parent, 'cgroup.subtree_control'), enable, { flag: 'r+' });
    mkdirSync(directory, { recursive: true });
    let enter = directory;
    if (version === 2) {
      writeFileSync(join(directory, 'cgroup.subtree_control'), enable, { flag: 'r+' });
      // A group that has groups with limits may not hold processes itself.
      enter = join(directory, 'launcher');
      mkdirSync(enter, { recursive: true });
    }
    for (const group of new Set([directory, enter])) giveTo(account, group);
    return enter;
  } catch {
    // Not here: the hierarchy is read-only, or this group may not hand anything on.
    removeGroups(directory);
    return undefined;
  }
}

function giveTo({ uid, gid }: OsAccount, group: string): void {
  chownSync(group, uid, gid);
  chmodSync(group, 0o755);
  for (const file of OWNED_FILES.map((name) => join(group, name))) {
    if (existsSync(file)) chownSync(file, uid, gid);
  }
}

/** With what a killed launcher left below it; whether it is gone. */
function removeGroups(directory: string): boolean {
  try {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.isDirectory()) removeGroups(join(directory, entry.name));
    }
    rmdirSync(directory);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
