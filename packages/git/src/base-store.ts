/**
 * The start commit's objects in a directory of their own: a bare repository made from the trusted source pack, borrowed
 * read-only by every import that starts at this commit. Its shallow file is ours; no import gets one.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import { readObjectInfo, readObjects } from './batch-reader.ts';
import { measurePaths } from './bound-paths.ts';
import { parseCommitLinks } from './commit-object.ts';
import { isOid, requireOid } from './oid.ts';
import { initBare } from './quarantine.ts';
import { runGit } from './run-git.ts';

export interface BaseStore {
  gitDir: string;
  objectsDir: string;
  commit: string;
  tree: string;
  /** Bytes of all path names of the tree; the bound for heads builds on it. */
  pathBytes: number;
}

export interface BaseStoreRequest {
  /** An empty directory, or one that does not exist yet. */
  gitDir: string;
  pack: Uint8Array | AsyncIterable<Uint8Array>;
  maxPackBytes: number;
  commit: string;
  /** Commits of the pack whose parents are left out of it. */
  shallow: readonly string[];
  timeoutMs: number;
}

const FACTS_FILE = 'sallyport-base.json';
const PATHS_FILE = 'sallyport-paths';
const MAX_PATH_BYTES = 268_435_456;
const MAX_LISTED_BYTES = 33_554_432;

/**
 * Builds the store.
 * @throws AppError `bad_input` when the pack does not hold the commit, `too_large`, `transient` as `runGit`.
 */
export async function buildBaseStore(request: BaseStoreRequest): Promise<BaseStore> {
  const { gitDir, timeoutMs } = request;
  const commit = requireOid(request.commit, 'the start commit');
  if (!request.shallow.every(isOid))
    throw new AppError('bad_input', 'a shallow commit is no object name');
  await mkdir(gitDir, { recursive: true });
  await initBare(gitDir);
  const place = { gitDir, timeoutMs, origin: 'source' } as const;
  await runGit({
    ...place,
    args: ['index-pack', '--stdin', `--max-input-size=${request.maxPackBytes}`],
    stdin: request.pack,
  });
  if (request.shallow.length > 0) {
    await writeFile(join(gitDir, 'shallow'), `${request.shallow.join('\n')}\n`);
  }
  const info = (await readObjectInfo(place, [commit])).get(commit);
  if (info?.kind !== 'commit') {
    throw new AppError('bad_input', `the source pack does not hold the start commit ${commit}`);
  }
  const content = (await readObjects(place, [info])).get(commit) ?? Buffer.alloc(0);
  const { tree } = parseCommitLinks(content);
  const pathBytes = await measurePaths(place, tree, MAX_PATH_BYTES);
  if (pathBytes === undefined) {
    throw new AppError(
      'too_large',
      `the start commit has more than ${MAX_PATH_BYTES} bytes of paths`,
    );
  }
  if (pathBytes <= MAX_LISTED_BYTES) {
    const args = ['ls-tree', '-r', '-z', '--name-only', tree] as const;
    const listing = await runGit({ ...place, args, maxStdoutBytes: MAX_LISTED_BYTES });
    await writeFile(join(gitDir, PATHS_FILE), listing);
  }
  await writeFile(join(gitDir, FACTS_FILE), JSON.stringify({ commit, tree, pathBytes }));
  return { gitDir, objectsDir: join(gitDir, 'objects'), commit, tree, pathBytes };
}

/** Opens a store that was built before. @throws AppError `not_found` when there is none, `internal` when it is broken. */
export async function openBaseStore(gitDir: string): Promise<BaseStore> {
  let text: string;
  try {
    text = await readFile(join(gitDir, FACTS_FILE), 'utf8');
  } catch (error) {
    throw new AppError('not_found', 'opening a base store that is not there', { cause: error });
  }
  const facts: unknown = JSON.parse(text);
  if (
    typeof facts === 'object' &&
    facts !== null &&
    'commit' in facts &&
    'tree' in facts &&
    'pathBytes' in facts &&
    typeof facts.commit === 'string' &&
    typeof facts.tree === 'string' &&
    typeof facts.pathBytes === 'number' &&
    isOid(facts.commit) &&
    isOid(facts.tree)
  ) {
    const { commit, tree, pathBytes } = facts;
    return { gitDir, objectsDir: join(gitDir, 'objects'), commit, tree, pathBytes };
  }
  throw new AppError('internal', 'a base store without its facts');
}

/**
 * Every file path of the start commit, in git's order; null when the list passes 32 MiB. Bytes that are not UTF-8 appear as
 * U+FFFD: such a path may be there already, and only new ones are refused.
 */
export async function readBasePaths(gitDir: string): Promise<string[] | null> {
  try {
    const listing = await readFile(join(gitDir, PATHS_FILE), 'utf8');
    return listing.split('\0').slice(0, -1);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
