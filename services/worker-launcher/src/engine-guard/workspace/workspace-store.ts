/**
 * The directories that sandboxes work on. They are the guard's, below a root that no launcher can write; what lies in them
 * was written by sandboxes and is read, replaced and removed without following anything that they left.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import { requireName } from './names.ts';
import { entryOf, splitName, withDirectory, type Owner, type WalkOptions } from './open-beneath.ts';
import { measureDirectory, removeEntry } from './walk-programs.ts';

export const FILE_MAX_BYTES = 64 * 1024 * 1024;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
// Without O_NONBLOCK opening a pipe waits for a writer that never comes.
const OLD_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export type StoredFile =
  | { kind: 'read'; bytes: Buffer }
  | { kind: 'missing' | 'not_a_plain_file' | 'too_large' };

/** Every call checks its name for the use it makes of it: `forbidden`. */
export interface WorkspaceStore {
  /** Makes a directory and those above it. */
  makeDirectory(name: string): Promise<void>;
  /** Makes what an overlay writes to: `upper`, whose root is the tree's, and `work`. */
  makeView(name: string): Promise<void>;
  /** @throws AppError `not_found`, or `forbidden` where a link is in the way. */
  requireDirectory(name: string): Promise<void>;
  /** Opens the root of a layer that a sandbox may have closed. */
  openLayer(name: string): Promise<void>;
  /** @throws AppError `not_found` when it is not there. */
  list(name: string): Promise<string[]>;
  /** Removes a directory or a file; one that is not there is fine. */
  remove(name: string): Promise<void>;
  /** Writes a file whole or not at all, in place of one before it. @throws AppError `too_large`. */
  writeFile(name: string, content: Readable): Promise<void>;
  readFile(name: string, maxBytes: number): Promise<StoredFile>;
  /** How many bytes of disk all in it take. */
  measure(name: string): Promise<number>;
}

export function createWorkspaceStore(root: string, owner: Owner): WorkspaceStore {
  function walk<T>(name: string, use: (directory: FileHandle) => Promise<T>): Promise<T> {
    return withDirectory(name, { root }, use);
  }
  function walkMaking<T>(name: string, use: (directory: FileHandle) => Promise<T>): Promise<T> {
    return withDirectory(name, makingOptions(name, root, owner), use);
  }
  const nothing = (): Promise<void> => Promise.resolve();

  return {
    makeDirectory: (name) => walkMaking(requireName('made', name), nothing),
    async makeView(name) {
      requireName('view', name);
      for (const part of ['upper', 'work']) await walkMaking(`${name}/${part}`, nothing);
    },
    requireDirectory: (name) => walk(name, nothing),
    openLayer: (name) => walk(requireName('layer', name), (directory) => directory.chmod(0o700)),
    list: (name) =>
      walk(requireName('listed', name), (directory) => readdir(entryOf(directory, '.'))),
    measure: (name) => walk(requireName('measured', name), measureDirectory),
    async remove(name) {
      const { parent, last } = splitName(requireName('removed', name));
      await unlessMissing(walk(parent, (directory) => removeEntry(directory, last)));
    },
    async writeFile(name, content) {
      const { parent, last } = splitName(requireName('written', name));
      await walkMaking(parent, (directory) => replaceFile(directory, last, content, owner));
    },
    async readFile(name, maxBytes) {
      const { parent, last } = splitName(requireName('read', name));
      const read = walk(parent, (directory) => readPlainFile(entryOf(directory, last), maxBytes));
      return (await unlessMissing(read)) ?? { kind: 'missing' };
    },
  };
}

function makingOptions(name: string, root: string, owner: Owner): WalkOptions {
  // Below a repository's environments the guard lists, so that directory is its own too.
  return { root, make: { owner, guardParts: name.startsWith('environments/') ? 2 : 1 } };
}

async function unlessMissing<T>(act: Promise<T>): Promise<T | undefined> {
  try {
    return await act;
  } catch (error) {
    if (errorCodeOf(error) === 'not_found') return undefined;
    throw error;
  }
}

async function replaceFile(
  directory: FileHandle,
  name: string,
  content: Readable,
  owner: Owner,
): Promise<void> {
  const unfinished = entryOf(directory, `.${randomBytes(12).toString('hex')}`);
  const file = await open(unfinished, NEW_FILE, 0o600);
  try {
    let length = 0;
    for await (const piece of content.iterator({
      destroyOnReturn: false,
    }) as AsyncIterable<Buffer>) {
      length += piece.byteLength;
      if (length > FILE_MAX_BYTES) {
        throw new AppError('too_large', `${name}: is larger than ${FILE_MAX_BYTES} bytes`);
      }
      await file.writeFile(piece);
    }
    await file.chown(owner.uid, owner.gid);
    await file.chmod(0o644);
    await rename(unfinished, entryOf(directory, name));
  } catch (error) {
    await unlink(unfinished).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}

async function readPlainFile(path: string, maxBytes: number): Promise<StoredFile> {
  let file: FileHandle;
  try {
    file = await open(path, OLD_FILE);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return { kind: 'missing' };
    // A link, a socket, the mark of a deletion.
    if (code === 'ELOOP' || code === 'ENXIO') return { kind: 'not_a_plain_file' };
    throw error;
  }
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.nlink !== 1) return { kind: 'not_a_plain_file' };
    if (stat.size > maxBytes) return { kind: 'too_large' };
    // One byte more than is allowed shows that it grew since.
    const bytes = Buffer.alloc(Math.min(maxBytes, stat.size) + 1);
    let length = 0;
    while (length < bytes.byteLength) {
      const { bytesRead } = await file.read(bytes, length, bytes.byteLength - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length === bytes.byteLength) return { kind: 'too_large' };
    return { kind: 'read', bytes: bytes.subarray(0, length) };
  } finally {
    await file.close();
  }
}
