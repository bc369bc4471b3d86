/**
 * What is written beside an environment once it is complete, and how it is read again. An environment without a record
 * that can be read was left half-way and is never used.
 */
import { z } from 'zod';

const RecordSchema = z.strictObject({
  v: z.literal(1),
  key: z.string().regex(/^[0-9a-f]{64}$/),
  /** The topmost paths in its layer. */
  paths: z.array(z.string().min(1)).min(1),
  entries: z.int().min(0),
  bytes: z.int().min(0),
  /** The commit whose files its commands ran on. */
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  madeAt: z.iso.datetime(),
});
export type EnvironmentRecord = z.infer<typeof RecordSchema>;

export const RECORD_MAX_BYTES = 8 * 1024 * 1024;

/** The record in these bytes; undefined when they are none. */
export function parseRecord(bytes: Buffer): EnvironmentRecord | undefined {
  try {
    const parsed = RecordSchema.safeParse(JSON.parse(bytes.toString('utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
