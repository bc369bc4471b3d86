/** The kinds of stored bytes: who writes each, who may read it, and the size beyond which it is refused. */
import type { Process } from '../processes.ts';

const MIB = 1024 * 1024;

interface ArtifactKindSpec {
  writer: Process;
  readers: readonly Process[];
  maxBytes: number;
}

export const ARTIFACT_KINDS = {
  /** One pack: the history of the start commit to the configured depth. */
  source_pack: {
    writer: 'publisher',
    readers: ['worker-launcher', 'importer'],
    maxBytes: 512 * MIB,
  },
  /** The tree of one finished step, as a pack against the start commit. */
  step_pack: { writer: 'worker-launcher', readers: [], maxBytes: 64 * MIB },
  /** The git bundle that a run ends with. */
  bundle: {
    writer: 'worker-launcher',
    readers: ['importer', 'console', 'operator'],
    maxBytes: 64 * MIB,
  },
  /** What an agent printed, capped and scrubbed. */
  transcript: { writer: 'worker-launcher', readers: ['console', 'operator'], maxBytes: 16 * MIB },
  /** The importer's findings on a bundle, as JSON. */
  import_facts: {
    writer: 'importer',
    readers: ['publisher', 'console', 'operator'],
    maxBytes: 32 * MIB,
  },
  /** The new objects of a bundle, packed again by the importer. */
  clean_pack: { writer: 'importer', readers: ['publisher'], maxBytes: 32 * MIB },
} as const satisfies Record<string, ArtifactKindSpec>;
export type ArtifactKind = keyof typeof ARTIFACT_KINDS;
