/**
 * What a step left, as a tree: byte for byte, by the ignore rules of the tree that it was given, with a git directory that
 * the agent never touched. A result that is too large or cannot be stored is refused by name, never cut short.
 */
import { requireOid } from '@sallyport/git/oid';
import { z } from 'zod';
import { configurationParams } from './configuration.ts';
import type { CollectorOperation } from './operation.ts';
import { WORK_MAX_BYTES } from './step-pack.ts';

const MIB = 1024 * 1024;

export interface TakeLimits {
  /** Files and directories that are looked at. */
  maxEntries: number;
  maxChangedFiles: number;
  maxChangedBytes: number;
  maxFileBytes: number;
  /** Changed paths, and paths left out, that are named; all are counted. */
  maxListed: number;
}

export const TAKE_LIMITS: TakeLimits = {
  maxEntries: 1_000_000,
  maxChangedFiles: 20_000,
  maxChangedBytes: 256 * MIB,
  maxFileBytes: 64 * MIB,
  maxListed: 2_000,
};

/** Why a file that lies in the worktree is not in the tree. */
export const SKIP_REASONS = [
  'fifo',
  'socket',
  'device',
  'git_directory',
  'inside_gitlink',
] as const;

export const TAKE_REFUSALS = [
  'too_many_files',
  'path_too_long',
  'file_too_large',
  'change_too_large',
  'unusable_path',
] as const;

const oid = z.string().regex(/^[0-9a-f]{40}$/);
const count = z.int().min(0);

const ChangeSchema = z.strictObject({
  /** UTF-8; bytes that are none are written \xNN. */
  path: z.string(),
  /** Added, deleted, modified (also: made executable), or of another type (file, link, submodule). */
  status: z.enum(['A', 'D', 'M', 'T']),
  oldMode: z.string(),
  newMode: z.string(),
  /** Null for what is not text and where the count was given up. */
  added: count.nullable(),
  removed: count.nullable(),
});

const TakenSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('taken'),
    tree: oid,
    /** The tree as a commit upon the start commit, always the same for the same tree. */
    commit: oid,
    changeCount: count,
    changes: z.array(ChangeSchema),
    linesAdded: count.nullable(),
    linesRemoved: count.nullable(),
    skippedCount: count,
    skipped: z.array(z.strictObject({ path: z.string(), reason: z.enum(SKIP_REASONS) })),
    /** What was touched of the environment; with `trackedOnly` also new files, and new directories (with a slash at the end), each counted as one. */
    untrackedCount: count,
    untracked: z.array(z.string()),
    /** The same of what the given tree's rules ignore. */
    ignoredCount: count,
    ignored: z.array(z.string()),
    /** Whether anything was written into the git directory; known only of layers. */
    gitDirectoryTouched: z.boolean(),
    /** The size of the pack that went to `onPack`; null when none was asked for or the tree is the start's. */
    packBytes: count.nullable(),
  }),
  z.strictObject({
    kind: z.literal('refused'),
    reason: z.enum(TAKE_REFUSALS),
    message: z.string(),
  }),
]);
export type TakenTree = z.infer<typeof TakenSchema>;

/**
 * Takes the tree of a step whose sandbox has ended. `given` is the tree that `materialize` laid out under `key`. With
 * `onPack` the tree also leaves as a pack against the start commit, in the same sandbox, when it is another; beyond 64 MiB
 * the operation fails with `too_large`. With `layered` the step wrote into a layer over the shared tree (`layOutTree`), and
 * the collector is given the `look` at it. With `trackedOnly` what is new is named and not taken: for a step whose work is
 * not kept anyway. `configurationFrom` must be what the tree was laid out with: a path that was shown otherwise than given
 * and not touched stays as given. What lies at or below `apart`, the paths of an environment, and is not in the given tree
 * is no work: it is named as untracked if it was touched.
 */
export function takeTree(options: {
  key: string;
  given: string;
  start: string;
  configurationFrom?: string;
  layered?: boolean;
  trackedOnly?: boolean;
  apart?: readonly string[];
  limits?: Partial<TakeLimits>;
  onPack?: (piece: Buffer) => void | Promise<void>;
}): CollectorOperation<TakenTree> {
  return {
    name: 'take_tree',
    params: {
      key: options.key,
      given: requireOid(options.given, 'the given tree'),
      start: requireOid(options.start, 'the start commit'),
      configuration: configurationParams(options.configurationFrom ?? options.start),
      layered: options.layered ?? false,
      trackedOnly: options.trackedOnly ?? false,
      apart: options.apart ?? [],
      limits: { ...TAKE_LIMITS, ...options.limits },
      maxPackBytes: options.onPack === undefined ? null : WORK_MAX_BYTES,
    },
    ...(options.onPack === undefined ? {} : { onData: options.onPack }),
    result: TakenSchema,
  };
}
