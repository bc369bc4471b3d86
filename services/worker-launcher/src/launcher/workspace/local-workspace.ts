/**
 * The workspace of a launcher that owns its directories. What an agent left is opened with the launcher's own rights, so a
 * link, a pipe or a device in the place of a file must be neither followed nor waited for.
 */
import { constants } from 'node:fs';
import { chmod, mkdir, open, readdir, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { removeTree } from './remove-tree.ts';
import type { Workspace, WorkspaceRead } from './workspace.ts';

/** Creates the workspace on this host's own file system. */
export function createLocalWorkspace(): Workspace {
  return {
    async makeDirectory(path) {
      await mkdir(path, { recursive: true });
    },
    async writeFile(path, content) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    },
    readFile: readPlainFile,
    openLayer: (path) => chmod(path, 0o700),
    remove: removeTree,
    async list(path) {
      try {
        return await readdir(path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
    },
  };
}

async function readPlainFile(path: string, maxBytes: number): Promise<WorkspaceRead> {
  let file: FileHandle;
  try {
    // Without O_NONBLOCK opening a pipe waits for a writer that never comes.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return refuseToOpen(error);
  }
  try {
    return await readOpened(file, maxBytes);
  } finally {
    await file.close();
  }
}

async function readOpened(file: FileHandle, maxBytes: number): Promise<WorkspaceRead> {
  const stat = await file.stat();
  if (!stat.isFile() || stat.nlink !== 1) return { kind: 'not_a_plain_file' };
  // One byte more than is allowed shows that there is more, whatever the size was when it was asked for.
  const bytes = Buffer.alloc(maxBytes + 1);
  let length = 0;
  while (length < bytes.byteLength) {
    const { bytesRead } = await file.read(bytes, length, bytes.byteLength - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length > maxBytes) return { kind: 'too_large' };
  return { kind: 'read', bytes: bytes.subarray(0, length) };
}

function refuseToOpen(error: unknown): WorkspaceRead {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return { kind: 'missing' };
  // A link (ELOOP), a socket (ENXIO), a file without read permission (EACCES).
  if (code === 'ELOOP' || code === 'ENXIO' || code === 'EACCES') {
    return { kind: 'not_a_plain_file' };
  }
  throw error;
}
