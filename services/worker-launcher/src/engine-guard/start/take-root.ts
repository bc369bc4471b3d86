/** Makes sure that the guard's root is the guard's: nobody else can write in it, move it, or put another in its place. */
import { lstat, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '@sallyport/shared/errors';

const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Makes the root if it is not there.
 * @throws AppError `bad_config` that names the directory which others could change, and the mend.
 */
export async function takeRoot(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o711 });
  const own = process.getuid?.() ?? 0;
  for (let path = root; ; path = dirname(path)) {
    const stat = await lstat(path);
    if (!stat.isDirectory()) throw unfit(path, 'is a link or no directory; give the real path');
    if (stat.uid !== 0 && stat.uid !== own)
      throw unfit(path, `belongs to another user (${stat.uid}); run chown on it`);
    // In a sticky directory everybody may make entries and nobody may move those of others; not enough for the root itself.
    const isShared = (stat.mode & OTHERS_WRITE) !== 0;
    const isSticky = path !== root && (stat.mode & STICKY) !== 0;
    if (isShared && !isSticky) throw unfit(path, 'can be written by others; run chmod go-w on it');
    if (path === '/') return;
  }
}

function unfit(path: string, why: string): AppError {
  return new AppError('bad_config', `GUARD_ROOT: ${path} ${why}`);
}
