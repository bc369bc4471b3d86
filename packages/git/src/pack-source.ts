/**
 * Writes one self-contained pack of a commit and its history to the shallow boundary, with the list of the commits at that
 * boundary: all that a process without a network needs to work on the commit.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { AppError } from '@sallyport/shared/errors';
import type { GitPlace } from './batch-reader.ts';
import { wrapIn, type Isolation } from './isolation.ts';
import { runGit, SOURCE_RESOURCES } from './run-git.ts';

export interface SourcePack {
  commit: string;
  packFile: string;
  bytes: number;
  sha256: string;
  /** Commits in the pack whose parents are not. */
  shallow: string[];
}

export interface PackSourceRequest {
  gitDir: string;
  isolation: Isolation;
  commit: string;
  packFile: string;
  maxPackBytes: number;
  /** The repository's whole boundary; the result holds the part that the commit reaches. */
  shallow: readonly string[];
}

const PACK_TIMEOUT_MS = 300_000;
const MAX_HISTORY_BYTES = 67_108_864;

/** Packs. @throws AppError `too_large` past the cap, and then the file is gone; others as `runGit`. */
export async function packSource(request: PackSourceRequest): Promise<SourcePack> {
  const { gitDir, commit, packFile, maxPackBytes } = request;
  const place: GitPlace = {
    gitDir,
    origin: 'source',
    timeoutMs: PACK_TIMEOUT_MS,
    wrap: wrapIn(request.isolation, { readOnly: [{ path: gitDir }] }),
  };
  const listing = await runGit({
    ...place,
    args: ['rev-list', commit],
    maxStdoutBytes: MAX_HISTORY_BYTES,
  });
  const reached = new Set(listing.toString('latin1').split('\n'));
  const file = await open(packFile, 'wx', 0o600);
  try {
    await runGit({
      ...place,
      args: ['pack-objects', '--revs', '--stdout', '--quiet', '--delta-base-offset', '--threads=1'],
      stdin: Buffer.from(`${commit}\n`),
      // Straight into the file, where the kernel holds the cap; through this process it could pile up in memory.
      stdoutFd: file.fd,
      resources: { ...SOURCE_RESOURCES, fileBytes: maxPackBytes },
    });
  } catch (error) {
    await rm(packFile, { force: true });
    if (error instanceof AppError && error.code === 'too_large') {
      throw new AppError('too_large', `the source has more than ${maxPackBytes} bytes`, {
        cause: error,
      });
    }
    throw error;
  } finally {
    await file.close();
  }
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(packFile) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  const shallow = request.shallow.filter((oid) => reached.has(oid));
  return { commit, packFile, bytes, sha256: hash.digest('hex'), shallow };
}
