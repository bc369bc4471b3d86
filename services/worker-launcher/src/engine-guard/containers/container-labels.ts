/**
 * The marks that the guard writes on everything it makes in an engine, and by which alone it knows it again. An engine may
 * serve others: what does not bear this deployment's mark does not exist for the guard.
 */
import { z } from 'zod';

export const LABEL_DEPLOYMENT = 'sallyport.deployment';
export const LABEL_LEASE = 'sallyport.lease';
/** Which directories of the workspace a container has, as JSON. */
export const LABEL_LENT = 'sallyport.lent';
/** The names of a container's volumes, as JSON. */
export const LABEL_VOLUMES = 'sallyport.volumes';

export type Labels = Readonly<Record<string, string>>;

const LentSchema = z.strictObject({
  reads: z.array(z.string()),
  /** These are not named as read as well. */
  writes: z.array(z.string()),
  /** Those in which something else is mounted. */
  holding: z.array(z.string()),
});
/** Names of the workspace. */
export type Lent = z.infer<typeof LentSchema>;

/** What a container has, for the order in which containers start; nothing where that is not written on it. */
export function lentTo(labels: Labels): Lent {
  return readLabel(labels, LABEL_LENT, LentSchema) ?? { reads: [], writes: [], holding: [] };
}

export function volumesOf(labels: Labels): string[] {
  return readLabel(labels, LABEL_VOLUMES, z.array(z.string())) ?? [];
}

/** Whose container this is by its lease; undefined when it never had one. */
export function leaseOf(labels: Labels): string | undefined {
  return labels[LABEL_LEASE];
}

function readLabel<T>(labels: Labels, name: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(labels[name] ?? ''));
  } catch {
    return undefined;
  }
}
