/** How much space a directory takes, for caches that start afresh past a size. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The sizes of all files below the directory; 0 when it does not exist, and what vanishes meanwhile is not counted. */
export async function directoryBytes(dir: string): Promise<number> {
  const names = await readdir(dir, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(dir, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
