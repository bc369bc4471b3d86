/**
 * Brings one commit and a bounded piece of its history from GitHub into a bare mirror of its repository, and packs it for
 * those who work without a network. A mirror is a cache: it may be deleted at any time when nobody holds its lock.
 */
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import { ASKPASS_DIR, withToken } from './askpass.ts';
import { wrapIn, type Isolation } from './isolation.ts';
import { readObjectInfo } from './batch-reader.ts';
import { directoryBytes } from './directory-bytes.ts';
import { withDirectoryLock } from './mirror-lock.ts';
import { isOid, requireOid } from './oid.ts';
import { packSource, type SourcePack } from './pack-source.ts';
import { initBare } from './quarantine.ts';
import { requireRemoteUrl, type Remote } from './remote-url.ts';
import { attemptGit, gitFailure, SOURCE_RESOURCES } from './run-git.ts';

export interface MirrorRequest {
  /** The mirror of this one repository; made when it does not exist. */
  mirrorDir: string;
  remote: Remote;
  token: string;
  commit: string;
  /** Commits of history, counted from the commit itself. */
  depth: number;
  /** A fetch of more is ended. */
  maxPackBytes: number;
  isolation: Isolation;
}

export interface FetchSourceRequest extends MirrorRequest {
  /** Where the pack is written; the caller removes it. */
  packFile: string;
}

/** The mirror while its lock is held. */
export interface MirroredCommit {
  gitDir: string;
  /** Commits of the mirror whose parents are absent. */
  shallow: string[];
}

export const DEFAULT_SOURCE_DEPTH = 50;
export const MAX_SOURCE_PACK_BYTES = 536_870_912;
const MAX_MIRROR_BYTES = 4_294_967_296;
const FETCH_TIMEOUT_MS = 600_000;
const LOCK_WAIT_MS = 900_000;
const SOURCE_REFS = 'refs/sallyport/source';

/**
 * Fetches what is missing and writes the pack.
 * @throws AppError `too_large` past the cap (refused as `source_too_large`), and what `withMirroredCommit` throws.
 */
export async function fetchSource(request: FetchSourceRequest): Promise<SourcePack> {
  return withMirroredCommit(request, ({ gitDir, shallow }) =>
    packSource({ ...request, gitDir, shallow }),
  );
}

/**
 * Makes sure that the mirror holds the commit, then runs `act` while nobody else can fetch into the mirror or drop it: from
 * building a commit on it to the end of the push. Takes the mirror's lock itself, so several may be called at once, also
 * from different processes; within `act` the same mirror must not be asked for again.
 * @throws AppError `too_large` when the fetch passes the cap, `not_found` when the remote has no such commit, `forbidden`
 * when the token may not read it, `bad_input` for a source that git's checks refuse, `transient` when the network, the
 * lock or the time failed; whatever `act` throws.
 */
export async function withMirroredCommit<T>(
  request: MirrorRequest,
  act: (mirror: MirroredCommit) => Promise<T>,
): Promise<T> {
  const commit = requireOid(request.commit, 'the source commit');
  return withMirror(request.mirrorDir, async () => {
    const gitDir = await openMirror(request.mirrorDir);
    if (!(await hasCommit(request, gitDir, commit))) await fetchCommit(request, gitDir, commit);
    return act({ gitDir, shallow: await readShallow(gitDir) });
  });
}

/** Runs `act` under the mirror's lock, whatever the mirror holds. @throws AppError `transient`; whatever `act` throws. */
async function withMirror<T>(mirrorDir: string, act: (gitDir: string) => Promise<T>): Promise<T> {
  await mkdir(mirrorDir, { recursive: true, mode: 0o700 });
  return withDirectoryLock(mirrorDir, LOCK_WAIT_MS, () => act(join(mirrorDir, 'git')));
}

/** The commits of a mirror whose parents are absent. */
async function readShallow(gitDir: string): Promise<string[]> {
  try {
    return (await readFile(join(gitDir, 'shallow'), 'latin1')).split('\n').filter(isOid);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

async function openMirror(mirrorDir: string): Promise<string> {
  const gitDir = join(mirrorDir, 'git');
  // Packs only ever come in; starting afresh is cheaper than repacking what is never read again.
  if ((await directoryBytes(gitDir)) > MAX_MIRROR_BYTES) {
    await rm(gitDir, { recursive: true, force: true });
  }
  const isThere = await stat(join(gitDir, 'HEAD')).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    await rm(gitDir, { recursive: true, force: true });
    await mkdir(gitDir, { mode: 0o700 });
    await initBare(gitDir);
  }
  // A killed fetch leaves these; we hold the mirror, so they are nobody's.
  await rm(join(gitDir, 'shallow.lock'), { force: true });
  await removeUnfinishedPacks(gitDir);
  return gitDir;
}

/** Removes packs that a killed fetch left behind and returns the size of the largest. */
async function removeUnfinishedPacks(gitDir: string): Promise<number> {
  const dir = join(gitDir, 'objects/pack');
  const names = await readdir(dir).catch(() => []);
  const unfinished = names.filter((name) => name.startsWith('tmp_')).map((name) => join(dir, name));
  const sizes = await Promise.all(unfinished.map(async (path) => (await stat(path)).size));
  await Promise.all(unfinished.map((path) => rm(path, { force: true })));
  return Math.max(0, ...sizes);
}

async function hasCommit(
  { isolation }: MirrorRequest,
  gitDir: string,
  commit: string,
): Promise<boolean> {
  const wrap = wrapIn(isolation, { readOnly: [{ path: gitDir }] });
  const place = { gitDir, origin: 'source', wrap } as const;
  if (!(await readObjectInfo(place, [commit])).has(commit)) return false;
  const ref = await attemptGit({
    ...place,
    args: ['rev-parse', '--verify', '--quiet', `${SOURCE_REFS}/${commit}`],
  });
  return ref.end === 'exited' && ref.exitCode === 0;
}

async function fetchCommit(request: MirrorRequest, gitDir: string, commit: string): Promise<void> {
  if (!Number.isSafeInteger(request.depth) || request.depth < 1) {
    throw new AppError('bad_input', 'the depth of a source must be a whole number from 1');
  }
  const url = requireRemoteUrl(request.remote).href;
  const result = await withToken(request.remote, request.token, (signIn) =>
    attemptGit({
      ...signIn,
      gitDir,
      origin: 'source',
      // The pack that comes in is written to a file: the kernel ends a fetch of more than the cap.
      resources: { ...SOURCE_RESOURCES, fileBytes: request.maxPackBytes },
      args: [
        'fetch',
        `--depth=${request.depth}`,
        '--no-tags',
        '--no-write-fetch-head',
        '--no-recurse-submodules',
        '--no-auto-maintenance',
        '--quiet',
        '--',
        url,
        `${commit}:${SOURCE_REFS}/${commit}`,
      ],
      timeoutMs: FETCH_TIMEOUT_MS,
      wrap: wrapIn(request.isolation, {
        network: true,
        readOnly: [{ path: ASKPASS_DIR }],
        writable: [{ path: gitDir }],
      }),
    }),
  );
  if (result.end === 'exited' && result.exitCode === 0) return;
  // Git does not say that its index-pack was ended for size; the file it left does.
  if ((await removeUnfinishedPacks(gitDir)) >= request.maxPackBytes) {
    throw new AppError('too_large', `the source has more than ${request.maxPackBytes} bytes`);
  }
  throw fetchFailure(gitFailure('fetch', result), result.stderr);
}

// What git says here was said by GitHub or by the network; nothing of it is an agent's.
function fetchFailure(error: AppError, stderr: string): AppError {
  const { detail } = error;
  const cause = { cause: error, detail };
  if (/not our ref|couldn't find remote ref|repository '[^']*' not found|error: 404/.test(stderr)) {
    return new AppError('not_found', 'the remote has no such commit', cause);
  }
  if (/Authentication failed|could not read (Username|Password)|error: 40[13]/.test(stderr)) {
    return new AppError('forbidden', 'the token may not read the repository', cause);
  }
  if (/fsck error/.test(stderr)) {
    return new AppError(
      'bad_input',
      `the source does not pass the checks of git: ${stderr}`,
      cause,
    );
  }
  if (error.code === 'bad_input')
    return new AppError('transient', `fetching failed: ${stderr}`, cause);
  return error;
}
