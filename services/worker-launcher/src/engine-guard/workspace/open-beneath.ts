/**
 * Walks to a directory of the workspace by descriptors, one part at a time and never through a link. A sandbox that may
 * write in a directory above can put a link in the place of any part at any moment; what is spelled out as a path and
 * checked first would be followed all the same.
 */
import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { AppError } from '@sallyport/shared/errors';

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Numbers of the user to whom what sandboxes write belongs, as this host counts. */
export interface Owner {
  uid: number;
  gid: number;
}

export interface WalkOptions {
  root: string;
  /** Makes what is missing: down to `guardParts` parts for the guard itself, what lies deeper for the owner. */
  make?: { owner: Owner; guardParts: number };
}

/** The path of an entry of an open directory, for one call, whatever became of the directory's own name. */
export function entryOf(directory: FileHandle, name: string): string {
  return `/proc/self/fd/${directory.fd}/${name}`;
}

/**
 * Opens the directory `name` below the root and gives it to `use`; it is closed afterwards.
 * @throws AppError `not_found` when a part is missing, `forbidden` when one is a link or no directory.
 */
export async function withDirectory<T>(
  name: string,
  options: WalkOptions,
  use: (directory: FileHandle) => Promise<T>,
): Promise<T> {
  let directory = await openPart(options.root, '');
  try {
    let walked = '';
    for (const [depth, part] of partsOf(name).entries()) {
      walked = walked === '' ? part : `${walked}/${part}`;
      const next = await openOrMake(directory, part, walked, depth, options);
      await directory.close();
      directory = next;
    }
    return await use(directory);
  } finally {
    await directory.close();
  }
}

/** The name of the directory in which this lies, and its own in there. */
export function splitName(name: string): { parent: string; last: string } {
  const slash = name.lastIndexOf('/');
  return { parent: slash < 0 ? '' : name.slice(0, slash), last: name.slice(slash + 1) };
}

async function openOrMake(
  above: FileHandle,
  part: string,
  walked: string,
  depth: number,
  { make }: WalkOptions,
): Promise<FileHandle> {
  const path = entryOf(above, part);
  if (make === undefined) return openPart(path, walked);
  const made = await makePart(path);
  const directory = await openPart(path, walked);
  if (!made) return directory;
  try {
    const isGuards = depth < make.guardParts;
    if (!isGuards) await directory.chown(make.owner.uid, make.owner.gid);
    // Not left to the mask that the process was started with. The engine passes through what is the guard's.
    await directory.chmod(isGuards ? 0o711 : 0o700);
    return directory;
  } catch (error) {
    await directory.close();
    throw error;
  }
}

async function makePart(path: string): Promise<boolean> {
  try {
    await mkdir(path, 0o700);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function openPart(path: string, walked: string): Promise<FileHandle> {
  try {
    return await open(path, DIRECTORY);
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'ENOENT') {
      throw new AppError('not_found', `${walked}: there is no such directory`, { cause });
    }
    // A link is no directory when it is not followed.
    if (code === 'ENOTDIR' || code === 'ELOOP') {
      throw new AppError('forbidden', `${walked}: is a link or no directory`, { cause });
    }
    throw cause;
  }
}

function partsOf(name: string): string[] {
  return name === '' ? [] : name.split('/');
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
