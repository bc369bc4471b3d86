/**
 * The mirror of a repository: a bare object store that only collectors mount, fed with packs that the publisher fetched.
 * Extending is safe to repeat and to do twice at once.
 */
import { z } from 'zod';
import type { CollectorOperation } from './operation.ts';

export const SOURCE_MAX_BYTES = 512 * 1024 * 1024;

const oid = z.string().regex(/^[0-9a-f]{40}$/);

/**
 * Takes a source pack in. `shallow` names the commits at which the pack's history is cut off. A pack that is broken or
 * larger than `maxBytes` fails with `bad_pack` and leaves the mirror as it was.
 */
export function extendMirror(options: {
  pack: AsyncIterable<Uint8Array>;
  shallow: readonly string[];
  maxBytes?: number;
}): CollectorOperation<Record<string, never>> {
  return {
    name: 'extend_mirror',
    params: {
      shallow: z.array(oid).parse(options.shallow),
      maxBytes: options.maxBytes ?? SOURCE_MAX_BYTES,
    },
    input: options.pack,
    result: z.strictObject({}),
  };
}
