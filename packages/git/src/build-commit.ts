/**
 * Builds the one commit that is published: the judged tree on the ticket's start commit, under the App's name. Of the
 * agent's commits nothing remains, neither author nor message, signature or history.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import { readObjectInfo, readObjects, type GitPlace } from './batch-reader.ts';
import { parseCommitLinks } from './commit-object.ts';
import type { ChangeFact } from './import-facts.ts';
import { BundleRefused } from './import-reasons.ts';
import { wrapIn, type Isolation } from './isolation.ts';
import { requireOid } from './oid.ts';
import { initBare, QUARANTINE_PREFIX } from './quarantine.ts';
import { readChanges } from './read-changes.ts';
import { indexPack } from './read-inventory.ts';
import { runGit } from './run-git.ts';

export interface CommitIdentity {
  name: string;
  email: string;
}

export interface BuildCommitRequest {
  workDir: string;
  /** The bare repository that has the start commit: a mirror (under its lock) or a base store. */
  baseGitDir: string;
  /** Commits of it whose parents are absent. */
  shallow: readonly string[];
  cleanPack: Uint8Array;
  tree: string;
  base: string;
  /** What was judged: the changes from the start commit's tree to `tree`, in the order of git, and no others. */
  changes: readonly ChangeFact[];
  identity: CommitIdentity;
  /** From a template. */
  message: string;
  /** The same date gives the same commit again. */
  date: Date;
  isolation: Isolation;
}

export interface BuiltCommit {
  commit: string;
  gitDir: string;
  /** What a push from `gitDir` must be able to read besides. */
  borrowsFrom: string[];
  remove(): Promise<void>;
}

const LINE_OF_TEXT = /^[^\0-\x1f<>]{1,200}$/;
const MAX_MESSAGE_LENGTH = 65_536;

/**
 * Builds the commit in a repository of its own under `workDir`, which the caller removes with `remove()`.
 * @throws AppError `bad_input` when pack, tree and start do not belong together, with `detail.why` `not_as_judged` when the
 * tree holds another change than was judged; nothing is left behind then.
 */
export async function buildCommit(request: BuildCommitRequest): Promise<BuiltCommit> {
  const tree = requireOid(request.tree, 'the tree');
  const base = requireOid(request.base, 'the start commit');
  checkWords(request);
  const gitDir = await mkdtemp(join(request.workDir, QUARANTINE_PREFIX));
  async function remove(): Promise<void> {
    await rm(gitDir, { recursive: true, force: true });
  }
  try {
    await initBare(gitDir);
    await writeFile(
      join(gitDir, 'objects/info/alternates'),
      `${join(request.baseGitDir, 'objects')}\n`,
    );
    // The boundary of the source is the boundary of what is pushed; a push must not look for commits beyond it.
    if (request.shallow.length > 0) {
      const lines = request.shallow.map((oid) => `${requireOid(oid, 'a shallow commit')}\n`);
      await writeFile(join(gitDir, 'shallow'), lines.join(''));
    }
    const place: GitPlace = {
      gitDir,
      wrap: wrapIn(request.isolation, {
        readOnly: [{ path: request.baseGitDir }],
        writable: [{ path: gitDir }],
      }),
    };
    await indexPack(place, request.cleanPack, { bundleBytes: request.cleanPack.length });
    await requireKinds(place, tree, base);
    await requireJudged(place, request, tree, base);
    const commit = await commitTree(request, place, tree, base);
    return { commit, gitDir, borrowsFrom: [request.baseGitDir], remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function checkWords({ identity, message, date }: BuildCommitRequest): void {
  if (!LINE_OF_TEXT.test(identity.name) || !LINE_OF_TEXT.test(identity.email)) {
    throw new AppError('bad_input', 'the identity must be one line without angle brackets');
  }
  if (message.trim() === '' || message.length > MAX_MESSAGE_LENGTH || message.includes('\0')) {
    throw new AppError('bad_input', 'the commit message is empty, too long, or holds a NUL');
  }
  if (Number.isNaN(date.getTime()))
    throw new AppError('bad_input', 'the date of the commit is none');
}

async function requireKinds(place: GitPlace, tree: string, base: string): Promise<void> {
  const infos = await readObjectInfo(place, [tree, base]);
  if (infos.get(tree)?.kind !== 'tree')
    throw new AppError('bad_input', 'the clean pack does not hold the judged tree');
  if (infos.get(base)?.kind !== 'commit')
    throw new AppError('bad_input', 'the start commit is not in the source');
}

/** Whoever wrote down what was judged may have lied, or been taken over by the bytes that it read: the pack decides. */
async function requireJudged(
  place: GitPlace,
  { changes: judged }: BuildCommitRequest,
  tree: string,
  base: string,
): Promise<void> {
  const links = parseCommitLinks(await readCommitBytes(place, base));
  const found = await changesOrNone(place, links.tree, tree, judged.length);
  if (found !== null && changesText(found) === changesText(judged)) return;
  throw new AppError('bad_input', 'the tree holds another change than was judged', {
    detail: { why: 'not_as_judged' },
  });
}

/** Null when there are more changes than judged, or such as no import lets through. */
async function changesOrNone(
  place: GitPlace,
  baseTree: string,
  tree: string,
  maxChanges: number,
): Promise<ChangeFact[] | null> {
  try {
    return await readChanges(place, baseTree, tree, maxChanges);
  } catch (error) {
    if (error instanceof BundleRefused) return null;
    throw error;
  }
}

function changesText(changes: readonly ChangeFact[]): string {
  return JSON.stringify(
    changes.map((change) => [
      change.path,
      change.status,
      change.oldMode,
      change.newMode,
      change.oldOid,
      change.newOid,
      change.oldSize,
      change.newSize,
    ]),
  );
}

async function readCommitBytes(place: GitPlace, oid: string): Promise<Buffer> {
  const info = (await readObjectInfo(place, [oid])).get(oid);
  const bytes = info === undefined ? undefined : (await readObjects(place, [info])).get(oid);
  if (bytes === undefined) throw new AppError('internal', 'a commit that was there cannot be read');
  return bytes;
}

async function commitTree(
  { identity, message, date }: BuildCommitRequest,
  place: GitPlace,
  tree: string,
  base: string,
): Promise<string> {
  const when = `${Math.floor(date.getTime() / 1_000)} +0000`;
  const output = await runGit({
    ...place,
    args: ['commit-tree', tree, '-p', base],
    stdin: Buffer.from(message.endsWith('\n') ? message : `${message}\n`),
    extra: {
      GIT_AUTHOR_NAME: identity.name,
      GIT_AUTHOR_EMAIL: identity.email,
      GIT_AUTHOR_DATE: when,
      GIT_COMMITTER_NAME: identity.name,
      GIT_COMMITTER_EMAIL: identity.email,
      GIT_COMMITTER_DATE: when,
    },
  });
  const commit = requireOid(output.toString('latin1').trim(), 'the new commit');
  const links = parseCommitLinks(await readCommitBytes(place, commit));
  if (links.tree !== tree || links.parents.length !== 1 || links.parents[0] !== base) {
    throw new AppError('internal', 'the new commit is not the judged tree on the start commit');
  }
  return commit;
}
