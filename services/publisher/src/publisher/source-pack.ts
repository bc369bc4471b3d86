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
} from '@sallyport/git/fetch-source';
import type { Remote } from '@sallyport/git/remote-url';
import { storeArtifact, type Artifact } from '@sallyport/shared/artifacts/store';
import { newId } from '@sallyport/shared/ids';
import type { PublisherContext } from './context.ts';
import type { CurrentRepository, TokenGrant } from './github/token.ts';

const SOURCE_EXPIRES_SECONDS = 3 * 24 * 3600;

export interface StoredSource {
  artifact: Artifact;
  /** Commits in the pack whose parents are not. */
  shallow: string[];
}

/** The directory of the mirror of a repository: named by the id that survives renames. */
export function mirrorDirOf(
  context: Pick<PublisherContext, 'stateDir'>,
  repositoryId: number,
): string {
  return join(context.stateDir, 'mirrors', String(repositoryId));
}

/** Where git finds a repository. Plain http is for stand-ins on loopback addresses alone; packages/git insists on that. */
export function remoteOf(
  context: Pick<PublisherContext, 'githubUrl'>,
  repository: CurrentRepository,
): Remote {
  const url = `${context.githubUrl}/${repository.owner}/${repository.name}.git`;
  return { url, protocol: url.startsWith('http://') ? 'loopback_http' : 'https' };
}

/** @throws AppError `too_large` beyond 512 MiB, and what fetchSource throws. */
export async function storeSource(
  context: PublisherContext,
  grant: TokenGrant,
  taskId: string,
  commit: string,
): Promise<StoredSource> {
  const scratch = join(context.stateDir, 'scratch');
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const packFile = join(scratch, `source-${newId()}.pack`);
  try {
    const source = await fetchSource({
      mirrorDir: mirrorDirOf(context, grant.repository.id),
      remote: remoteOf(context, grant.repository),
      token: grant.token,
      commit,
      depth: DEFAULT_SOURCE_DEPTH,
      maxPackBytes: MAX_SOURCE_PACK_BYTES,
      packFile,
      isolation: context.isolation,
    });
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
