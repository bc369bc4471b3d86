/**
 * Proves that the bundle's commits are one line from the start commit to the head: no merge that hides a change from every
 * diff, no root that brings a foreign history.
 */
import { AppError } from '@sallyport/shared/errors';
import { readObjectInfo, readObjects, type GitPlace } from './batch-reader.ts';
import { parseCommitLinks, type CommitLinks } from './commit-object.ts';
import { BundleRefused } from './import-reasons.ts';
import { runGit } from './run-git.ts';

export interface HistoryCommit {
  oid: string;
  tree: string;
  parent: string;
}

/**
 * The commits from the start commit's child to the head.
 * @throws BundleRefused `head_not_commit`, `history_too_long`, `history_merge`, `history_root`, `history_detached`,
 * `commit_malformed`.
 */
export async function readHistory(
  place: GitPlace,
  head: string,
  base: string,
  maxCommits: number,
): Promise<HistoryCommit[]> {
  const info = (await readObjectInfo(place, [head])).get(head);
  if (info === undefined)
    throw new BundleRefused('missing_object', `the head ${head} is not there`);
  if (info.kind !== 'commit') {
    throw new BundleRefused('head_not_commit', `the ref names a ${info.kind}`);
  }
  const listing = await runGit({
    ...place,
    args: ['rev-list', '--parents', `--max-count=${maxCommits + 1}`, head, '--not', base],
    // A commit of the allowed size can name a thousand parents.
    maxStdoutBytes: (maxCommits + 1) * 65_536,
  });
  const parents = parseParents(listing);
  if (parents.size > maxCommits) {
    throw new BundleRefused('history_too_long', `more than ${maxCommits} commits`);
  }
  const line = followLine(parents, head, base);
  const links = await readLinks(place, line);
  return line.map((oid, index) => {
    const link = links.get(oid);
    const parent = line[index - 1] ?? base;
    if (link === undefined || link.parents.length !== 1 || link.parents[0] !== parent) {
      throw new BundleRefused(
        'commit_malformed',
        `commit ${oid} does not hold the parent it is listed with`,
      );
    }
    return { oid, tree: link.tree, parent };
  });
}

function parseParents(listing: Buffer): Map<string, string[]> {
  const parents = new Map<string, string[]>();
  for (const line of listing.toString('latin1').split('\n').slice(0, -1)) {
    const [oid = '', ...rest] = line.split(' ');
    parents.set(oid, rest);
  }
  return parents;
}

/** Walks from head to base, each commit once, and returns the line from base to head. */
export function followLine(
  parents: ReadonlyMap<string, readonly string[]>,
  head: string,
  base: string,
): string[] {
  const line: string[] = [];
  let at = head;
  while (at !== base) {
    const own = parents.get(at);
    if (own === undefined) {
      throw new BundleRefused('history_detached', 'the history does not lead to the start commit');
    }
    if (own.length > 1) throw new BundleRefused('history_merge', `commit ${at} is a merge`);
    const [parent] = own;
    if (parent === undefined) throw new BundleRefused('history_root', `commit ${at} has no parent`);
    line.unshift(at);
    at = parent;
  }
  return line;
}

async function readLinks(place: GitPlace, oids: string[]): Promise<Map<string, CommitLinks>> {
  const infos = await readObjectInfo(place, oids);
  if (infos.size !== oids.length) throw new AppError('internal', 'a listed commit is not there');
  const contents = await readObjects(place, [...infos.values()]);
  return new Map([...contents].map(([oid, bytes]) => [oid, parseCommitLinks(bytes)]));
}
