/**
 * The environments that were made on this host, each in a directory of its own that is never used again for another. It is
 * complete when its record is there, which is written last and goes first; who uses it says so in it by its lease, as run
 * directories do by their name. So neither a crash nor two launchers at once can make anybody use a broken one.
 */
import { join } from 'node:path';
import { withEnvironmentLock } from '@sallyport/shared/db/environment-lock';
import { listHeld, type Lease } from '@sallyport/shared/db/lease';
import type { Pool, Queryable } from '@sallyport/shared/db/pool';
import { newId } from '@sallyport/shared/ids';
import type { Logger } from '@sallyport/shared/log';
import {
  environmentDirectory,
  environmentsDirectory,
  repositoryEnvironments,
} from '../collector/layout.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { chooseEvictions } from './choose-evictions.ts';
import { parseRecord, RECORD_MAX_BYTES, type EnvironmentRecord } from './environment-record.ts';
import type { CacheBounds } from './read-environments.ts';

const RECORD = 'environment.json';
const LAYER = 'layer';
const USES = 'uses';
const USED = 'used';
const USE_PATTERN = /^([0-9a-f-]{36})-([0-9]{1,15})$/;

export interface StoredEnvironment {
  directory: string;
  layer: string;
  record: EnvironmentRecord;
}

export interface EnvironmentStore {
  /** A complete one, in use by the run from now on; undefined when there is none. */
  find(repositoryId: number, key: string, lease: Lease): Promise<StoredEnvironment | undefined>;
  /** A new directory for one, in use by the run. */
  begin(repositoryId: number, key: string, lease: Lease): Promise<string>;
  /** Says that what lies in the directory is complete. */
  complete(directory: string, record: EnvironmentRecord): Promise<StoredEnvironment>;
  remove(directory: string): Promise<void>;
  /** Removes what was left half-way, is too old, or has no room, unless a live run uses it; how many there were. */
  sweep(bounds: CacheBounds): Promise<number>;
}

export function createEnvironmentStore(options: {
  db: Pool;
  stateDir: string;
  workspace: Workspace;
  log: Logger;
}): EnvironmentStore {
  const { db, stateDir, workspace, log } = options;

  async function readRecord(directory: string): Promise<EnvironmentRecord | undefined> {
    const read = await workspace.readFile(join(directory, RECORD), RECORD_MAX_BYTES);
    if (read.kind !== 'read') return undefined;
    const names = await workspace.list(directory);
    return names.includes(LAYER) ? parseRecord(read.bytes) : undefined;
  }

  async function use(directory: string, { runId, fence }: Lease): Promise<void> {
    await workspace.writeFile(join(directory, USES, `${runId}-${fence}`), '');
    await workspace.writeFile(join(directory, USED), String(Date.now()));
  }

  /** Whether a live run uses it. Uses of runs that are no more are forgotten. */
  async function isUsed(queryable: Queryable, directory: string): Promise<boolean> {
    const names = await workspace.list(join(directory, USES));
    const leases = names.flatMap((name) => leaseOf(name));
    const held = await listHeld(queryable, leases);
    if (held.length > 0) return true;
    for (const name of names) await workspace.remove(join(directory, USES, name));
    return false;
  }

  async function evict(directory: string): Promise<boolean> {
    const isFree = await withEnvironmentLock(db, async (tx) => {
      if (await isUsed(tx, directory)) return false;
      await workspace.remove(join(directory, RECORD));
      return true;
    });
    if (isFree) await workspace.remove(directory);
    return isFree;
  }

  async function listAll(): Promise<
    { directory: string; record: EnvironmentRecord | undefined }[]
  > {
    const found = [];
    const root = environmentsDirectory(stateDir);
    for (const repository of await workspace.list(root)) {
      for (const name of await workspace.list(join(root, repository))) {
        const directory = join(root, repository, name);
        found.push({ directory, record: await readRecord(directory) });
      }
    }
    return found;
  }

  async function lastUse(directory: string): Promise<number> {
    const read = await workspace.readFile(join(directory, USED), 32);
    // What cannot be read counts as never used.
    return read.kind === 'read' ? Number(read.bytes.toString()) || 0 : 0;
  }

  return {
    async find(repositoryId, key, lease) {
      const all = repositoryEnvironments(stateDir, repositoryId);
      return withEnvironmentLock(db, async () => {
        for (const name of (await workspace.list(all)).toSorted()) {
          if (!name.startsWith(`${key}-`)) continue;
          const directory = environmentDirectory(stateDir, repositoryId, name);
          const record = await readRecord(directory);
          if (record?.key !== key) continue;
          await use(directory, lease);
          return { directory, layer: join(directory, LAYER), record };
        }
        return undefined;
      });
    },
    async begin(repositoryId, key, lease) {
      const name = `${key}-${newId().slice(-12)}`;
      const directory = environmentDirectory(stateDir, repositoryId, name);
      await withEnvironmentLock(db, async () => {
        await workspace.makeDirectory(directory);
        await use(directory, lease);
      });
      return directory;
    },
    async complete(directory, record) {
      await workspace.writeFile(join(directory, RECORD), `${JSON.stringify(record)}\n`);
      return { directory, layer: join(directory, LAYER), record };
    },
    remove: (directory) => workspace.remove(directory),
    async sweep(bounds) {
      const kept = [];
      const gone = [];
      for (const { directory, record } of await listAll()) {
        if (record === undefined) gone.push(directory);
        else {
          const usedAtMs = await lastUse(directory);
          kept.push({ name: directory, bytes: record.bytes, usedAtMs });
        }
      }
      gone.push(...chooseEvictions(kept, bounds, Date.now()));
      let removed = 0;
      for (const directory of gone) {
        try {
          if (await evict(directory)) removed += 1;
        } catch (error) {
          log.error({ err: error, directory }, 'an environment cannot be removed');
        }
      }
      return removed;
    },
  };
}

function leaseOf(name: string): Lease[] {
  const [, runId, fence] = USE_PATTERN.exec(name) ?? [];
  return runId === undefined || fence === undefined ? [] : [{ runId, fence: Number(fence) }];
}
