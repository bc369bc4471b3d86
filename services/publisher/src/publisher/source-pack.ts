/**
 * Fetches a start commit into this host's mirror of its repository and stores the pack as an artifact for those who work
 * without a network. The artifact expires; the mirror is a cache.
 */
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DEFAULT_SOURCE_DEPTH,
  fetchSource,
  MAX_SOURCE_PACK_BYTES,
  type MirrorRequest,
} from '@sallyport/git/fetch-source';
import { storeArtifact, type Artifact } from '@sallyport/shared/artifacts/store';
import { crashPoint } from '@sallyport/shared/crash-point';
import { newId } from '@sallyport/shared/ids';
import type { PublisherContext } from './context.ts';
import type { TokenGrant } from './github/token.ts';

const SOURCE_EXPIRES_SECONDS = 3 * 24 * 3600;

export interface StoredSource {
  artifact: Artifact;
  /** Commits in the pack whose parents are not. */
  shallow: string[];
}

/** The mirror of a repository, named by the id that survives renames, with a start commit in it. */
export function mirrorRequest(
  context: Pick<PublisherContext, 'stateDir' | 'githubUrl' | 'isolation'>,
  { repository, token }: TokenGrant,
  commit: string,
): MirrorRequest {
  const url = `${context.githubUrl}/${repository.owner}/${repository.name}.git`;
  return {
    mirrorDir: join(context.stateDir, 'mirrors', String(repository.id)),
    // Plain http is for stand-ins on loopback addresses alone; packages/git insists on that.
    remote: { url, protocol: url.startsWith('http://') ? 'loopback_http' : 'https' },
    token,
    commit,
    depth: DEFAULT_SOURCE_DEPTH,
    maxPackBytes: MAX_SOURCE_PACK_BYTES,
    isolation: context.isolation,
  };
}

/** Where unfinished things lie; nothing in it outlives the process. */
export function scratchDirectory(stateDir: string): string {
  return join(stateDir, 'scratch');
}

/** @throws AppError `too_large` beyond 512 MiB, and what fetchSource throws. */
export async function storeSource(
  context: PublisherContext,
  grant: TokenGrant,
  taskId: string,
  commit: string,
): Promise<StoredSource> {
  const scratch = scratchDirectory(context.stateDir);
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const packFile = join(scratch, `source-${newId()}.pack`);
  try {
    const source = await fetchSource({ ...mirrorRequest(context, grant, commit), packFile });
    crashPoint('publisher:source_fetched_not_stored');
    const artifact = await storeArtifact(context.db, {
      kind: 'source_pack',
      taskId,
      bytes: createReadStream(packFile) as AsyncIterable<Buffer>,
      expiresInSeconds: SOURCE_EXPIRES_SECONDS,
    });
    return { artifact, shallow: source.shallow };
  } finally {
    await rm(packFile, { force: true });
  }
}
