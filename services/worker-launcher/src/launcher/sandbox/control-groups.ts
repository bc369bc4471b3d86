/**
 * Bounds a sandbox's memory and processes in the kernel where the launcher may make control groups: as root, or below a
 * group that was handed to its user. Knows both generations of them; where none can be made, nothing is, and what is
 * bounded how is found out by trying, once.
 */
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@sallyport/shared/ids';
import { parentsIn, readHierarchies, type Hierarchy } from '@sallyport/shared/control-group-places';

export const CONTROLLERS = ['memory', 'pids'] as const;
export type Controller = (typeof CONTROLLERS)[number];

export interface GroupLimits {
  memoryBytes: number;
  /** Threads. */
  processes: number;
}

export interface ControlGroup {
  /** Directories whose `cgroup.procs` the sandbox's first process enters. */
  readonly directories: readonly string[];
  /** How often the kernel ended a process of the group because its memory was used up. */
  memoryKills(): number;
  /**
   * Removes the group; call it when no process is left in it. Gives the directories that the kernel does not let go of yet:
   * it takes a moment until the last process is buried, and they are tried again with the next group.
   */
  remove(): string[];
}

export interface ControlGroups {
  /** What the kernel bounds. */
  readonly controllers: readonly Controller[];
  /** Why the rest is not, in words. */
  readonly problem: string | undefined;
  /** The directories that a group of this name will have; none where none can be made. */
  directoriesOf(name: string): readonly string[];
  /** A group with these limits; one without directories where none can be made. */
  create(name: string, limits: GroupLimits): ControlGroup;
}

interface Place {
  parent: string;
  hierarchy: Hierarchy;
  controllers: readonly Controller[];
}

/**
 * Finds where groups can be made. `root` stands before the files that tell it, for tests.
 */
export function findControlGroups(root = ''): ControlGroups {
  const left = new Set<string>();
  const problems: string[] = [];
  const places: Place[] = [];
  for (const hierarchy of readHierarchies(root, CONTROLLERS)) {
    const missing = hierarchy.controllers.filter(
      (controller) => !places.some((place) => place.controllers.includes(controller)),
    );
    if (missing.length === 0) continue;
    const place = tryPlace(hierarchy, missing, root, problems);
    if (place !== undefined) places.push(place);
  }
  const controllers = places.flatMap((place) => place.controllers);
  const lacking = CONTROLLERS.filter((controller) => !controllers.includes(controller));
  return {
    controllers,
    problem:
      lacking.length === 0
        ? undefined
        : `${lacking.join(' and ')}: ${problems.at(0) ?? 'no control group of this kind is mounted'}`,
    directoriesOf: (name) => places.map(({ parent }) => join(parent, name)),
    create(name, limits) {
      for (const directory of left) if (removeGroup(directory)) left.delete(directory);
      const made: { directory: string; hierarchy: Hierarchy }[] = [];
      for (const { parent, hierarchy, controllers: own } of places) {
        const directory = join(parent, name);
        try {
          mkdirSync(directory);
          made.push({ directory, hierarchy });
          for (const controller of own) writeLimit(directory, hierarchy, controller, limits);
        } catch (error) {
          // Half a wall is none: the caller is not to believe in it.
          for (const each of made) removeGroup(each.directory);
          throw error;
        }
      }
      const memory = made.find(({ hierarchy }) => hierarchy.controllers.includes('memory'));
      return {
        directories: made.map(({ directory }) => directory),
        memoryKills: () => (memory === undefined ? 0 : readKills(memory)),
        remove() {
          const stuck = made.map(({ directory }) => directory).filter((d) => !removeGroup(d));
          for (const directory of stuck) left.add(directory);
          return stuck;
        },
      };
    },
  };
}

function tryPlace(
  hierarchy: Hierarchy,
  wanted: readonly Controller[],
  root: string,
  problems: string[],
): Place | undefined {
  for (const parent of parentsIn(hierarchy, root)) {
    const directory = join(parent, `sallyport-try-${newId()}`);
    try {
      mkdirSync(directory);
    } catch (error) {
      problems.push(wordsOf(error));
      continue;
    }
    const limits = { memoryBytes: 2 ** 30, processes: 1_000 };
    const controllers = wanted.filter((controller) => {
      try {
        writeLimit(directory, hierarchy, controller, limits);
        return true;
      } catch (error) {
        // The controller is not at work in this place: one further up may be.
        problems.push(wordsOf(error));
        return false;
      }
    });
    removeGroup(directory);
    if (controllers.length > 0) return { parent, hierarchy, controllers };
  }
  return undefined;
}

function writeLimit(
  directory: string,
  { version }: Hierarchy,
  controller: Controller,
  limits: GroupLimits,
): void {
  const write = (file: string, value: number | string): void =>
    writeFileSync(join(directory, file), String(value), { flag: 'r+' });
  if (controller === 'pids') return write('pids.max', limits.processes);
  const bytes = Math.ceil(limits.memoryBytes);
  write(version === 1 ? 'memory.limit_in_bytes' : 'memory.max', bytes);
  try {
    if (version === 1) write('memory.memsw.limit_in_bytes', bytes);
    else write('memory.swap.max', 0);
  } catch {
    // A kernel that does not count swap has no such file.
  }
  if (version === 2) write('memory.oom.group', 1);
}

function readKills({ directory, hierarchy }: { directory: string; hierarchy: Hierarchy }): number {
  const file = hierarchy.version === 1 ? 'memory.oom_control' : 'memory.events';
  try {
    const found = /^oom_kill (\d+)$/m.exec(readFileSync(join(directory, file), 'utf8'));
    return found === null ? 0 : Number(found[1]);
  } catch {
    return 0;
  }
}

/** Whether it is gone. */
function removeGroup(directory: string): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
