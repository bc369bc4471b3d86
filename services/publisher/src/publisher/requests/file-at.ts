/**
 * Answers: one file of a closed list of directories, as it is in the commit that was frozen for the task. Reached by the
 * ids of trees from that commit on, never by a branch, so that nothing pushed later and no link in the tree leads elsewhere.
 */
import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { answerOf, listGithubRequests } from '@sallyport/shared/db/github-request';
import type { Pool } from '@sallyport/shared/db/pool';
import { AppError } from '@sallyport/shared/errors';
import {
  GITHUB_REQUESTS,
  READABLE_FILE_MAX_BYTES,
  READABLE_FILE_PATTERN,
  READABLE_FILES_MAX,
  type GithubAnswer,
  type GithubParams,
} from '@sallyport/shared/task/github-requests';
import { z } from 'zod';
import { readCommit } from '../github/read-ref.ts';
import { readReply } from '../github/reply.ts';
import type { TokenGrant } from '../github/token.ts';

type FileAnswer = GithubAnswer<'file_at'>;
type Problem = NonNullable<FileAnswer['problem']>;

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const TreeSchema = z.object({
  sha,
  truncated: z.boolean(),
  tree: z.array(
    z.object({
      path: z.string(),
      mode: z.string(),
      sha: sha.nullish(),
      size: z.int().nonnegative().optional(),
    }),
  ),
});
type Tree = z.infer<typeof TreeSchema>;
type Entry = Tree['tree'][number];
const BlobSchema = z.object({ sha, encoding: z.literal('base64'), content: z.string() });

const DIRECTORY_MODE = '040000';
const FILE_MODES: readonly string[] = ['100644', '100755'];
const REFUSED_MODES: Readonly<Record<string, Problem>> = {
  [DIRECTORY_MODE]: 'directory',
  '120000': 'link',
  '160000': 'submodule',
};

/**
 * GitHub gives the commits of forks and of pull requests under the ids of the repository itself, so an id alone says
 * nothing about whose commit it is: only the one that the publisher itself found at the branch's tip is read.
 * @throws AppError `forbidden` with `detail.why` `not_the_frozen_commit`.
 */
export async function requireFrozenCommit(db: Pool, taskId: string, asked: string): Promise<void> {
  const requests = await listGithubRequests(db, taskId);
  // Of the default branch alone: who asks may name any other, and anybody who may push to one would write the file.
  const frozen = requests.filter(
    ({ kind, params }) => kind === 'head' && isOfDefaultBranch(params),
  );
  if (frozen.some((request) => answerOf(request, 'head')?.sha === asked)) return;
  throw new AppError('forbidden', 'a file of another commit than the one frozen for the task', {
    detail: { why: 'not_the_frozen_commit' },
  });
}

function isOfDefaultBranch(params: unknown): boolean {
  const parsed = GITHUB_REQUESTS.head.params.safeParse(params);
  return parsed.success && parsed.data.ref === null;
}

export async function answerFileAt(
  grant: TokenGrant,
  params: GithubParams<'file_at'>,
): Promise<FileAnswer> {
  const commit = await readCommit(grant, params.sha);
  requireSame(commit.sha, params.sha);
  const directory = await findDirectory(grant, commit.tree, params.directory.split('/'));
  if (typeof directory === 'string') return nothing(directory);
  if (directory === null) return nothing(null);
  if (directory.tree.length > READABLE_FILES_MAX || directory.truncated) {
    return nothing('too_many_files');
  }
  const names = directory.tree
    .filter(({ path, mode }) => FILE_MODES.includes(mode) && READABLE_FILE_PATTERN.test(path))
    .map(({ path }) => path)
    .toSorted();
  const entry = directory.tree.find(({ path }) => path === params.name);
  if (entry === undefined) return { text: null, problem: null, names };
  const content = await readFile(grant, entry);
  return typeof content === 'string'
    ? { text: null, problem: content, names }
    : { text: content.text, problem: null, names };
}

/** The tree of a directory; null when there is none, a problem when something else lies on the way. */
async function findDirectory(
  grant: TokenGrant,
  root: string,
  parts: readonly string[],
): Promise<Tree | Problem | null> {
  let tree = await readTree(grant, root);
  for (const part of parts) {
    const entry = tree.tree.find(({ path }) => path === part);
    // Of a tree too long to be given whole, what is missing may be in the rest.
    if (entry === undefined) return tree.truncated ? 'too_many_files' : null;
    if (entry.mode !== DIRECTORY_MODE || !entry.sha) return 'not_a_directory';
    tree = await readTree(grant, entry.sha);
  }
  return tree;
}

async function readTree(grant: TokenGrant, treeSha: string): Promise<Tree> {
  const reply = await grant.octokit.request('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', {
    owner: grant.repository.owner,
    repo: grant.repository.name,
    tree_sha: treeSha,
  });
  const tree = readReply(TreeSchema, reply, 'reading a tree');
  requireSame(tree.sha, treeSha);
  return tree;
}

async function readFile(grant: TokenGrant, entry: Entry): Promise<{ text: string } | Problem> {
  const refused = REFUSED_MODES[entry.mode];
  if (refused !== undefined) return refused;
  if (!FILE_MODES.includes(entry.mode) || !entry.sha) return 'not_text';
  // Looked at before it is fetched: a blob may have a hundred megabytes.
  if (entry.size === undefined || entry.size > READABLE_FILE_MAX_BYTES) return 'too_large';
  const reply = await grant.octokit.request('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', {
    owner: grant.repository.owner,
    repo: grant.repository.name,
    file_sha: entry.sha,
  });
  const blob = readReply(BlobSchema, reply, 'reading a file');
  const bytes = Buffer.from(blob.content, 'base64');
  if (bytes.length > READABLE_FILE_MAX_BYTES) return 'too_large';
  requireSame(blobId(bytes), entry.sha);
  return isUtf8(bytes) && !bytes.includes(0) ? { text: bytes.toString('utf8') } : 'not_text';
}

/** A branch may be named like an id; and what a proxy mixed up is not what was asked for. */
function requireSame(given: string, asked: string): void {
  if (given === asked) return;
  throw new AppError('transient', 'reading a file: GitHub gave another object than was asked for');
}

/** The id that git gives to these bytes. */
function blobId(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function nothing(problem: Problem | null): FileAnswer {
  return { text: null, problem, names: [] };
}
