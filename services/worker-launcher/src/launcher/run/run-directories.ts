/**
 * Where a run's files lie while it is worked on. The name of a directory says whose it is (run and fence), so that it
 * needs no marker that could be missing after a crash: whatever has no live lease behind it can go.
 */
import { join } from 'node:path';
import { listHeld, type Lease } from '@sallyport/shared/db/lease';
import type { Queryable } from '@sallyport/shared/db/pool';
import type { Logger } from '@sallyport/shared/log';
import { runDirectory, runsDirectory } from '../collector/layout.ts';
import type { Workspace } from '../workspace/workspace.ts';

const NAME = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})-([0-9]{1,15})$/;

export interface RunDirectories {
  /** The directory of a run under this very lease; whoever works there makes it. */
  pathOf(lease: Lease): string;
  /** Removes it with all that agents left in it. */
  remove(lease: Lease): Promise<void>;
  /** Removes every directory that belongs to no live lease; how many there were. Failures are logged and tried again. */
  clean(db: Queryable): Promise<number>;
}

export function createRunDirectories(
  stateDir: string,
  workspace: Workspace,
  log: Logger,
): RunDirectories {
  function pathOf(lease: Lease): string {
    return runDirectory(stateDir, `${lease.runId}-${lease.fence}`);
  }

  return {
    pathOf,
    remove: (lease) => workspace.remove(pathOf(lease)),
    async clean(db) {
      // Listed before the leases are read: a directory that is made in between is not looked at.
      const root = runsDirectory(stateDir);
      const names = await workspace.list(root);
      const owners = names.map((name) => ({ name, owner: ownerOf(name) }));
      const held = await listHeld(
        db,
        owners.flatMap(({ owner }) => (owner === undefined ? [] : [owner])),
      );
      let removed = 0;
      for (const { name, owner } of owners) {
        if (held.some((l) => l.runId === owner?.runId && l.fence === owner.fence)) continue;
        try {
          await workspace.remove(join(root, name));
          removed += 1;
        } catch (error) {
          log.error({ err: error, name }, 'a left run directory cannot be removed');
        }
      }
      return removed;
    },
  };
}

function ownerOf(name: string): Lease | undefined {
  const [, runId, fence] = NAME.exec(name) ?? [];
  return runId === undefined || fence === undefined ? undefined : { runId, fence: Number(fence) };
}
