/**
 * One thing that a collector can be asked to do: its parameters, the bytes that go in or come out, and the form of its
 * answer. Operations are values, so that several share one sandbox, whose start costs more than most of them.
 */
import type { z } from 'zod';

export interface CollectorOperation<R> {
  name: string;
  params: Readonly<Record<string, unknown>>;
  result: z.ZodType<R>;
  /** Bytes streamed in, read no faster than git takes them. */
  input?: AsyncIterable<Uint8Array>;
  /** Sees each piece of the bytes streamed out; the collector waits for the returned promise. */
  onData?: (piece: Buffer) => void | Promise<void>;
}

/** The results of a list of operations, in its order. */
export type ResultsOf<T extends readonly CollectorOperation<unknown>[]> = {
  -readonly [K in keyof T]: T[K] extends CollectorOperation<infer R> ? R : never;
};

/** What a collector may answer instead of a result. */
export const COLLECTOR_PROBLEMS = [
  /** The bytes given are no pack, or one with objects missing. */
  'bad_pack',
  /** The start commit or something below it is not in the mirror. */
  'source_incomplete',
  /** The tree cannot be laid out on a file system. */
  'unusable_tree',
  /** A worktree under this key exists already. */
  'step_exists',
  /** More bytes would come out than were allowed. */
  'too_large',
  /** git failed for a reason that none of the others names. */
  'git_failed',
] as const;
export type CollectorProblem = (typeof COLLECTOR_PROBLEMS)[number];
