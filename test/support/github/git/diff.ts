/** The difference of two commits or trees, file by file, with counts and patches as GitHub gives them. */
import { git } from './run-git.ts';

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const STATUS: Readonly<Record<string, string>> = {
  A: 'added',
  M: 'modified',
  D: 'removed',
  R: 'renamed',
  C: 'copied',
  T: 'changed',
};

export interface FileDiff {
  readonly path: string;
  readonly previousPath: string | null;
  readonly status: string;
  readonly sha: string;
  readonly modeBefore: string;
  readonly modeAfter: string;
  readonly additions: number;
  readonly deletions: number;
  /** null for a binary file. */
  readonly patch: string | null;
}

interface RawEntry {
  readonly status: string;
  readonly before: string;
  readonly sha: string;
  readonly oldSha: string;
  readonly after: string;
  readonly paths: readonly string[];
}

function parseRaw(raw: string): RawEntry[] {
  const fields = raw.split('\u0000');
  const entries: RawEntry[] = [];
  for (let at = 0; at < fields.length - 1;) {
    const [before = '', after = '', oldSha = '', sha = '', code = ''] = (fields[at] ?? '')
      .slice(1)
      .split(' ');
    const letter = code.slice(0, 1);
    const count = letter === 'R' || letter === 'C' ? 2 : 1;
    entries.push({
      status: STATUS[letter] ?? 'changed',
      before,
      after,
      oldSha,
      sha,
      paths: fields.slice(at + 1, at + 1 + count),
    });
    at += 1 + count;
  }
  return entries;
}

function countLines(section: string, sign: string): number {
  const body = section.slice(section.indexOf('\n@@'));
  return body.split('\n').filter((line) => line.startsWith(sign)).length;
}

/** The files that differ between two commits or trees; `before` null means everything is new. */
export async function diffFiles(
  gitDir: string,
  before: string | null,
  after: string,
): Promise<FileDiff[]> {
  const from = before ?? EMPTY_TREE;
  const raw = parseRaw(
    (
      await git(gitDir, ['diff-tree', '-r', '-z', '-M', '--raw', '--no-abbrev', from, after])
    ).toString('utf8'),
  );
  const text = (
    await git(gitDir, ['diff-tree', '-r', '-M', '-p', '--full-index', from, after])
  ).toString('utf8');
  // Git prints the patches in the order of the raw entries, one `diff --git` line each (a type change has two).
  const sections = text.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
  let next = 0;
  return raw.map((entry) => {
    const section = sections[next] ?? '';
    next += entry.status === 'changed' ? 2 : 1;
    const hunk = section.indexOf('\n@@');
    const path = entry.paths.at(-1) ?? '';
    return {
      path,
      previousPath: entry.paths.length === 2 ? (entry.paths[0] ?? null) : null,
      status: entry.status,
      sha: entry.status === 'removed' ? entry.oldSha : entry.sha,
      modeBefore: entry.before,
      modeAfter: entry.after,
      additions: hunk < 0 ? 0 : countLines(section, '+'),
      deletions: hunk < 0 ? 0 : countLines(section, '-'),
      patch: hunk < 0 ? null : section.slice(hunk + 1).replace(/\n$/, ''),
    };
  });
}
