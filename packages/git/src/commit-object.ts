/**
 * Reads tree and parents from the bytes of a commit object, strictly: the header lines that git writes, in their order.
 * Author, message and signature are not read; nothing of them is ever published.
 */
import { BundleRefused } from './import-reasons.ts';

export interface CommitLinks {
  tree: string;
  parents: string[];
}

const TREE_LINE = /^tree ([0-9a-f]{40})\n/;
const PARENT_LINE = /^parent ([0-9a-f]{40})\n/;
const TREE_LINE_LENGTH = 46;
const PARENT_LINE_LENGTH = 48;

/** @throws BundleRefused `commit_malformed`. */
export function parseCommitLinks(bytes: Uint8Array): CommitLinks {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const tree = TREE_LINE.exec(text)?.[1];
  if (tree === undefined) throw new BundleRefused('commit_malformed', 'a commit names no tree');
  const parents: string[] = [];
  let offset = TREE_LINE_LENGTH;
  for (;;) {
    const parent = PARENT_LINE.exec(text.slice(offset, offset + PARENT_LINE_LENGTH))?.[1];
    if (parent === undefined) break;
    parents.push(parent);
    offset += PARENT_LINE_LENGTH;
  }
  if (!text.startsWith('author ', offset)) {
    throw new BundleRefused('commit_malformed', 'a commit has no author after its parents');
  }
  return { tree, parents };
}
