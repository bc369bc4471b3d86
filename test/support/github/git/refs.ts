/** Reads and moves refs of a bare repository by compare-and-set; a refusal is an answer, not an exception. */
import { git, tryGit } from './run-git.ts';
import { ZERO_SHA } from './objects.ts';

export interface Ref {
  readonly ref: string;
  readonly sha: string;
  readonly type: string;
}

export async function listRefs(gitDir: string, prefix: string): Promise<Ref[]> {
  const format = '%(objectname) %(objecttype) %(refname)';
  const out = (await git(gitDir, ['for-each-ref', `--format=${format}`])).toString('utf8');
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [sha = '', type = '', ...rest] = line.split(' ');
      return { ref: rest.join(' '), sha, type };
    })
    .filter((one) => one.ref.startsWith(prefix));
}

export async function readRef(gitDir: string, ref: string): Promise<Ref | null> {
  return (await listRefs(gitDir, ref)).find((one) => one.ref === ref) ?? null;
}

export async function isValidRef(gitDir: string, ref: string): Promise<boolean> {
  return (await tryGit(gitDir, ['check-ref-format', ref])).code === 0;
}

/** Moves a ref from exactly `before` to `after` (zeros: absent). False: it was not where the caller thought, or a name clash. */
export async function moveRef(
  gitDir: string,
  ref: string,
  before: string,
  after: string,
): Promise<boolean> {
  const args =
    after === ZERO_SHA ? ['update-ref', '-d', ref, before] : ['update-ref', ref, after, before];
  return (await tryGit(gitDir, args)).code === 0;
}

export async function isAncestor(
  gitDir: string,
  older: string,
  newer: string,
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  return (await tryGit(gitDir, ['merge-base', '--is-ancestor', older, newer], { env })).code === 0;
}

export async function mergeBase(gitDir: string, a: string, b: string): Promise<string | null> {
  const result = await tryGit(gitDir, ['merge-base', a, b]);
  return result.code === 0 ? result.stdout.toString('utf8').trim() : null;
}

/** Commits of `from..to`, oldest first. */
export async function listCommits(
  gitDir: string,
  from: string | null,
  to: string,
): Promise<string[]> {
  const range = from === null ? [to] : [to, `^${from}`];
  const out = (
    await git(gitDir, ['rev-list', '--reverse', '--topo-order', ...range, '--'])
  ).toString('utf8');
  return out.split('\n').filter(Boolean);
}
