/** How much a bundle may be, in every measure that an attack could stretch. The policy's own caps lie below these. */

export interface ImportLimits {
  bundleBytes: number;
  packObjects: number;
  commits: number;
  /** Changed files between start and head, and in each commit. */
  changes: number;
  /** Bytes of path names (files and directories) beyond those of the start commit's tree. */
  extraPathBytes: number;
  blobBytes: number;
  commitBytes: number;
  treeBytes: number;
  totalObjectBytes: number;
  /** A blob beyond this is listed without its content. */
  contentBlobBytes: number;
  /** Content that is handed over, for each of: new sides of the change, its old sides, sides of earlier commits. */
  contentTotalBytes: number;
  wallMs: number;
}

export const DEFAULT_IMPORT_LIMITS: ImportLimits = {
  bundleBytes: 5_242_880,
  packObjects: 20_000,
  commits: 50,
  changes: 1_000,
  extraPathBytes: 153_600,
  blobBytes: 4_194_304,
  commitBytes: 65_536,
  treeBytes: 1_048_576,
  totalObjectBytes: 33_554_432,
  contentBlobBytes: 1_048_576,
  contentTotalBytes: 4_194_304,
  wallMs: 15_000,
};
