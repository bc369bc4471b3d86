/**
 * A bare repository for one bundle: empty, without templates, hooks or configuration, borrowing the start commit's objects
 * read-only. Removed as a whole, since a killed git leaves half-written packs behind.
 */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import { runGit } from './run-git.ts';

export const QUARANTINE_PREFIX = 'quarantine-';

export interface Quarantine {
  gitDir: string;
  remove(): Promise<void>;
}

/** Makes the repository in a new directory under `workDir`. `objectsDir`: where the base's objects are. */
export async function createQuarantine(workDir: string, objectsDir: string): Promise<Quarantine> {
  if (/["\n]/.test(objectsDir)) {
    throw new AppError('bad_input', 'the path of the base store holds a quote or a line break');
  }
  const gitDir = await mkdtemp(join(workDir, QUARANTINE_PREFIX));
  async function remove(): Promise<void> {
    await rm(gitDir, { recursive: true, force: true });
  }
  try {
    await initBare(gitDir);
    await writeFile(join(gitDir, 'objects/info/alternates'), `${objectsDir}\n`);
    return { gitDir, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Makes an empty bare repository in an existing empty directory. */
export async function initBare(gitDir: string): Promise<void> {
  await runGit({
    gitDir,
    args: ['init', '--quiet', '--bare', '--template=', '--object-format=sha1', gitDir],
  });
  // Either file would change what history a walk sees; a fresh repository has none, and one that appears is an attack.
  for (const name of ['shallow', 'info/grafts']) {
    const found = await stat(join(gitDir, name)).catch(() => undefined);
    if (found !== undefined) throw new AppError('internal', `a new repository has a file ${name}`);
  }
}
