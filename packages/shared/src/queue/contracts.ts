/**
 * What travels through Redis: ids, never truth, never a secret. One strict contract per queue; a version that a consumer
 * does not know is retried later (a newer producer may be ahead of it), an unknown shape is refused for good.
 */
import { z } from 'zod';
import type { Process } from '../processes.ts';

const id = z.uuid();
const v = z.literal(1);

export const QUEUE_CONTRACTS = {
  gate: z.union([z.strictObject({ v, deliveryId: id }), z.strictObject({ v, taskId: id })]),
  work: z.strictObject({ v, taskId: id }),
  publish: z.strictObject({ v, runId: id }),
  import: z.strictObject({ v, runId: id }),
  github: z.strictObject({ v, requestId: id }),
  source: z.strictObject({ v, requestId: id }),
} as const;
export type QueueName = keyof typeof QUEUE_CONTRACTS;
export type QueueData<Q extends QueueName> = z.infer<(typeof QUEUE_CONTRACTS)[Q]>;
export const QUEUE_NAMES = Object.keys(QUEUE_CONTRACTS) as QueueName[];

/** Who may put jobs into a queue (by way of its own outbox rows) and who takes them out. */
export const QUEUE_ROLES: Record<QueueName, { producers: readonly Process[]; consumer: Process }> =
  {
    gate: { producers: ['intake', 'gate'], consumer: 'gate' },
    work: { producers: ['gate', 'worker-launcher'], consumer: 'worker-launcher' },
    publish: { producers: ['worker-launcher', 'publisher'], consumer: 'publisher' },
    import: { producers: ['publisher'], consumer: 'importer' },
    github: { producers: ['gate'], consumer: 'publisher' },
    source: { producers: ['worker-launcher'], consumer: 'publisher' },
  };

/**
 * The key prefix of a queue in Redis. The braces are a hash tag: in a cluster all keys of one queue lie on one node, and
 * an access list can name a queue by its prefix.
 */
export function queuePrefix(deployment: string, queue: QueueName): string {
  return `${deployment}:{${queue}}`;
}
