/** Makes git objects byte by byte, also those that git itself would refuse to make. For tests. */
import { createHash } from 'node:crypto';

export interface GitObject {
  kind: 'commit' | 'tree' | 'blob' | 'tag';
  oid: string;
  bytes: Buffer;
}

export interface TreeEntry {
  mode: string;
  name: string | Buffer;
  oid: string;
}

export function gitObject(kind: GitObject['kind'], content: Uint8Array | string): GitObject {
  const bytes = Buffer.from(content);
  const oid = createHash('sha1').update(`${kind} ${bytes.length}\0`).update(bytes).digest('hex');
  return { kind, oid, bytes };
}

export function blob(content: Uint8Array | string): GitObject {
  return gitObject('blob', content);
}

export function file(name: string | Buffer, object: GitObject, mode = '100644'): TreeEntry {
  return { mode, name, oid: object.oid };
}

export function folder(name: string | Buffer, object: GitObject): TreeEntry {
  return { mode: '40000', name, oid: object.oid };
}

/** A tree in git's order, or in the order given. */
export function tree(
  entries: readonly TreeEntry[],
  order: 'sorted' | 'as_given' = 'sorted',
): GitObject {
  const list = order === 'sorted' ? entries.toSorted(compareEntries) : entries;
  const parts = list.flatMap((entry) => [
    Buffer.from(`${entry.mode} `),
    Buffer.from(entry.name),
    Buffer.from([0]),
    Buffer.from(entry.oid, 'hex'),
  ]);
  return gitObject('tree', Buffer.concat(parts));
}

function compareEntries(a: TreeEntry, b: TreeEntry): number {
  return Buffer.compare(sortKey(a), sortKey(b));
}

function sortKey(entry: TreeEntry): Buffer {
  const slash = entry.mode === '40000' ? '/' : '';
  return Buffer.concat([Buffer.from(entry.name), Buffer.from(slash)]);
}

export interface CommitParts {
  tree: string;
  parents?: readonly string[];
  message?: string;
  author?: string;
  /** Header lines between committer and message, each with its line break. */
  headers?: string;
}

const SOMEBODY = 'Some Body <somebody@example.com> 1700000000 +0000';

export function commit(parts: CommitParts): GitObject {
  const who = parts.author ?? SOMEBODY;
  const lines = [
    `tree ${parts.tree}\n`,
    ...(parts.parents ?? []).map((parent) => `parent ${parent}\n`),
    `author ${who}\ncommitter ${who}\n`,
    parts.headers ?? '',
    `\n${parts.message ?? 'Change something'}\n`,
  ];
  return gitObject('commit', lines.join(''));
}

export function tag(object: GitObject, name: string): GitObject {
  return gitObject(
    'tag',
    `object ${object.oid}\ntype ${object.kind}\ntag ${name}\ntagger ${SOMEBODY}\n\nA tag\n`,
  );
}
