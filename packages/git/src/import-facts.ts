/**
 * What the import found out about a bundle, as plain values that survive JSON. Everything in it was computed from objects
 * by name; nothing is a claim of the bundle.
 */
import type { RawChange } from './diff-raw.ts';

/** A changed path with the sizes of its blobs in bytes; null where a side is absent or no blob (a gitlink). */
export interface ChangeFact extends RawChange {
  oldSize: number | null;
  newSize: number | null;
}

/** One commit of the line, with its changes against its only parent. */
export interface CommitFact {
  oid: string;
  tree: string;
  parent: string;
  changes: ChangeFact[];
}

export const BLOB_CONTENTS = ['present', 'over_file_limit', 'over_total_limit'] as const;
/** Whether a blob's content is handed over. A policy that cannot read a content must not pass it. */
export type BlobContent = (typeof BLOB_CONTENTS)[number];

/** A blob on either side of a change; `sha256` of the content where it was read. */
export interface BlobFact {
  oid: string;
  size: number;
  content: BlobContent;
  sha256: string | null;
}

export interface ImportFacts {
  v: 1;
  ref: string;
  /** The start commit: the bundle's prerequisite and the parent of what is published. */
  base: string;
  baseTree: string;
  headOid: string;
  headTree: string;
  bundleSha256: string;
  bundleBytes: number;
  /** Objects in the bundle's pack and the sum of their sizes when unpacked. */
  objectCount: number;
  objectBytes: number;
  /** From the start commit's child to the head. */
  commits: CommitFact[];
  /** Start commit to head. */
  changes: ChangeFact[];
  blobs: BlobFact[];
}

/** The facts, the contents of the blobs that are `present`, and the pack from which the published commit is built. */
export interface ImportedBundle {
  facts: ImportFacts;
  contents: ReadonlyMap<string, Uint8Array>;
  /** Made by us: objects of the head's tree that are not in the start commit's, without deltas. */
  cleanPack: Uint8Array;
}
