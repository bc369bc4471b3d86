/**
 * Keeps base stores between imports, so that the second bundle on a start commit does not index its history again. A store
 * appears under its name complete or not at all, and is only removed when no import can still be reading it.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { openBaseStore } from './base-store.ts';
import { QUARANTINE_PREFIX } from './quarantine.ts';

const STORE_PREFIX = 'base-';
export const BUILDING_PREFIX = 'building-';

/** Longer than any import or build may take, so that what is older belongs to no living process. */
const STALE_AFTER_MS = 3_600_000;
const MAX_STORES = 8;

/** The directory of the store for a source pack, its commit and its shallow boundary. */
export function baseStoreDir(
  workRoot: string,
  source: { sha256: string; shallow: readonly string[] },
  commit: string,
): string {
  const key = createHash('sha256')
    .update(JSON.stringify([source.sha256, commit, [...source.shallow].toSorted()]))
    .digest('hex');
  return join(workRoot, `${STORE_PREFIX}${key}`);
}

/**
 * Makes sure that the store is there, calling `build` with an empty directory if not. Two at once both build and one wins.
 * Whatever `build` throws is thrown and leaves nothing behind.
 */
export async function ensureBaseStore(
  workRoot: string,
  dir: string,
  build: (emptyDir: string) => Promise<void>,
): Promise<void> {
  if (await isStore(dir)) {
    const now = new Date();
    return utimes(dir, now, now);
  }
  const building = join(workRoot, `${BUILDING_PREFIX}${randomUUID()}`);
  await mkdir(building, { recursive: true, mode: 0o700 });
  try {
    await build(building);
    await rename(building, dir);
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    if (!(await isStore(dir))) throw error;
  }
}

async function isStore(dir: string): Promise<boolean> {
  return openBaseStore(dir).then(
    () => true,
    () => false,
  );
}

/**
 * Removes what earlier processes left unfinished, and the stores that were not used for longest beyond eight. Only what was
 * untouched for an hour goes.
 */
export async function sweepWorkRoot(workRoot: string, now: number = Date.now()): Promise<void> {
  const names = await readdir(workRoot).catch(() => []);
  const entries = await Promise.all(
    names.map(async (name) => ({ name, usedAt: await usedAt(join(workRoot, name)) })),
  );
  const stale = entries.filter((entry) => now - entry.usedAt > STALE_AFTER_MS);
  const unfinished = stale.filter(
    ({ name }) => name.startsWith(BUILDING_PREFIX) || name.startsWith(QUARANTINE_PREFIX),
  );
  const stores = entries
    .filter(({ name }) => name.startsWith(STORE_PREFIX))
    .toSorted((a, b) => b.usedAt - a.usedAt)
    .slice(MAX_STORES)
    .filter((entry) => stale.includes(entry));
  for (const { name } of [...unfinished, ...stores]) {
    // oxlint-disable-next-line no-await-in-loop -- nobody waits for this
    await rm(join(workRoot, name), { recursive: true, force: true });
  }
}

async function usedAt(path: string): Promise<number> {
  return stat(path).then(
    (found) => found.mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
}
