/** Reads and writes commits, trees and blobs of a bare repository, in the shapes that the Git Data API speaks of. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { git, gitText, tryGit } from './run-git.ts';

export const ZERO_SHA = '0'.repeat(40);
const SHA = /^[0-9a-f]{40}$/;

export interface Person {
  readonly name: string;
  readonly email: string;
  readonly date: Date;
}

export interface CommitObject {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Person;
  readonly committer: Person;
  readonly message: string;
  readonly signature: string | null;
}

export interface TreeEntry {
  readonly mode: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly sha: string;
  readonly size: number | null;
  readonly path: string;
}

/** The type of an object, or null when the repository has no such object. */
export async function objectType(gitDir: string, sha: string): Promise<string | null> {
  if (!SHA.test(sha)) return null;
  const result = await tryGit(gitDir, ['cat-file', '-t', sha]);
  return result.code === 0 ? result.stdout.toString('utf8').trim() : null;
}

/** The commit that a SHA, a branch, a tag or a full ref names, or null. */
export async function resolveCommit(gitDir: string, name: string): Promise<string | null> {
  if (name === '' || name.startsWith('-')) return null;
  const candidates =
    SHA.test(name) || name.startsWith('refs/')
      ? [name]
      : [`refs/heads/${name}`, `refs/tags/${name}`, name];
  for (const candidate of candidates) {
    const result = await tryGit(gitDir, [
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${candidate}^{commit}`,
    ]);
    if (result.code === 0) return result.stdout.toString('utf8').trim();
  }
  return null;
}

function parsePerson(line: string): Person {
  const match = /^(.*) <(.*)> (\d+) [+-]\d{4}$/.exec(line);
  const seconds = Number(match?.[3] ?? 0);
  return { name: match?.[1] ?? '', email: match?.[2] ?? '', date: new Date(seconds * 1000) };
}

export async function readCommit(gitDir: string, sha: string): Promise<CommitObject> {
  const raw = (await git(gitDir, ['cat-file', 'commit', sha])).toString('utf8');
  const split = raw.indexOf('\n\n');
  const headers = raw.slice(0, split).replaceAll('\n ', '\u0000').split('\n');
  const values = (name: string): string[] =>
    headers
      .filter((line) => line.startsWith(`${name} `))
      .map((line) => line.slice(name.length + 1));
  return {
    sha,
    tree: values('tree')[0] ?? '',
    parents: values('parent'),
    author: parsePerson(values('author')[0] ?? ''),
    committer: parsePerson(values('committer')[0] ?? ''),
    message: raw.slice(split + 2).replace(/\n$/, ''),
    signature: values('gpgsig')[0]?.replaceAll('\u0000', '\n') ?? null,
  };
}

export async function readTree(
  gitDir: string,
  treeish: string,
  recursive: boolean,
): Promise<TreeEntry[]> {
  const args = ['ls-tree', '-z', '-l', ...(recursive ? ['-r', '-t'] : []), treeish];
  const lines = (await git(gitDir, args)).toString('utf8').split('\u0000').filter(Boolean);
  return lines.map((line) => {
    const tab = line.indexOf('\t');
    const [mode = '', type = '', sha = '', size = '-'] = line.slice(0, tab).split(/ +/);
    return {
      mode,
      type: type === 'tree' ? 'tree' : type === 'commit' ? 'commit' : 'blob',
      sha,
      size: size === '-' ? null : Number(size),
      path: line.slice(tab + 1),
    };
  });
}

export function readBlob(gitDir: string, sha: string): Promise<Buffer> {
  return git(gitDir, ['cat-file', 'blob', sha]);
}

export function writeBlob(gitDir: string, content: Buffer): Promise<string> {
  return gitText(gitDir, ['hash-object', '-w', '--stdin'], { input: content });
}

export interface TreeChange {
  readonly path: string;
  readonly mode: string;
  /** null removes the path. */
  readonly sha: string | null;
}

/** Makes a tree from a base tree (or from nothing) and changes; removes are done first, as in GitHub's API. */
export async function writeTree(
  gitDir: string,
  base: string | null,
  changes: readonly TreeChange[],
): Promise<string> {
  const index = join(gitDir, `index-${randomBytes(8).toString('hex')}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    await git(gitDir, base === null ? ['read-tree', '--empty'] : ['read-tree', base], { env });
    const removes = changes
      .filter((one) => one.sha === null)
      .map((one) => `0 ${ZERO_SHA}\t${one.path}\u0000`);
    const subtrees = changes.filter((one) => one.sha !== null && /^0?40000$/.test(one.mode));
    const files = changes.filter((one) => one.sha !== null && !subtrees.includes(one));
    const adds = files.map((one) => `${one.mode} ${one.sha ?? ''}\t${one.path}\u0000`);
    await git(gitDir, ['update-index', '-z', '--add', '--index-info'], {
      env,
      input: [...removes, ...adds].join(''),
    });
    for (const subtree of subtrees) {
      await tryGit(gitDir, ['rm', '-r', '-q', '--cached', '--ignore-unmatch', '--', subtree.path], {
        env,
      });
      await git(gitDir, ['read-tree', `--prefix=${subtree.path}/`, subtree.sha ?? ''], { env });
    }
    return await gitText(gitDir, ['write-tree'], { env });
  } finally {
    await rm(index, { force: true });
  }
}

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Person;
  readonly committer: Person;
  readonly message: string;
  readonly signature: string | null;
}

function personLine(person: Person): string {
  return `${person.name} <${person.email}> ${Math.floor(person.date.getTime() / 1000)} +0000`;
}

export function writeCommit(gitDir: string, commit: NewCommit): Promise<string> {
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${personLine(commit.author)}`,
    `committer ${personLine(commit.committer)}`,
    ...(commit.signature === null
      ? []
      : [`gpgsig ${commit.signature.trimEnd().replaceAll('\n', '\n ')}`]),
    '',
    commit.message,
  ];
  return gitText(gitDir, ['hash-object', '-t', 'commit', '-w', '--stdin'], {
    input: lines.join('\n'),
  });
}
