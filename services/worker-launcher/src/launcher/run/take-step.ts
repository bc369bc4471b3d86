/**
 * Takes in what a step left, once nothing of its sandbox runs any more: the tree, and the pack that outlives this host.
 * Also after a failure, as far as it goes: work that was paid for is kept even when nothing follows from it. What a
 * read-only step left is compared and nothing more.
 */
import { AppError } from '@sallyport/shared/errors';
import { mirrorDirectory, type StepDirectories } from '../collector/layout.ts';
import { takeTree, type TakenTree } from '../collector/take-tree.ts';
import { upperDirectory } from '../sandbox/overlay-mounts.ts';
import type { StepFailure } from './judge-exit.ts';
import type { AdmittedRun, RunWork } from './work.ts';

export type TakenWork = Extract<TakenTree, { kind: 'taken' }>;
export type StepTaking =
  | {
      kind: 'taken';
      taken: TakenWork;
      /** Null when there is nothing to keep. */ pack: Buffer | null;
    }
  /** Compared, and beyond what may be taken. */
  | { kind: 'refused'; failure: StepFailure }
  | { kind: 'lost'; failure: StepFailure };

export interface TakingInput {
  admitted: AdmittedRun;
  stepId: string;
  directories: StepDirectories;
  baseTree: string;
  /** What lies below the step's own layer; null where it got a copy. */
  layers: readonly string[] | null;
  /** Paths of the environment in it. */
  apart: readonly string[];
  readOnly: boolean;
}

/** @throws RunStopped when the lease was lost meanwhile. */
export async function takeStep(work: RunWork, input: TakingInput): Promise<StepTaking> {
  const { admitted, stepId, directories, baseTree, layers, apart, readOnly } = input;
  const pieces: Buffer[] = [];
  try {
    const [taken] = await work.collector.run({
      id: `take-${stepId}`,
      labels: { task: work.taskId, run: work.lease.runId, step: stepId },
      mirror: {
        directory: mirrorDirectory(work.stateDir, admitted.task.repositoryId),
        access: 'read_only',
      },
      run: work.directories.pathOf(work.lease),
      ...(layers === null ? {} : { look: await lookAt(work, directories, layers) }),
      operations: [
        takeTree({
          key: stepId,
          given: baseTree,
          start: admitted.claims.start.sha,
          configurationFrom: admitted.claims.base.sha,
          layered: layers !== null,
          trackedOnly: readOnly,
          apart,
          ...(readOnly ? {} : { onPack: (piece) => void pieces.push(Buffer.from(piece)) }),
        }),
      ],
      signal: work.signals.collect,
    });
    if (taken.kind === 'refused') {
      const failure = { reason: `tree_${taken.reason}`, message: taken.message };
      return { kind: 'refused', failure };
    }
    return { kind: 'taken', taken, pack: pieces.length === 0 ? null : Buffer.concat(pieces) };
  } catch (error) {
    if (work.signals.interruption === 'lease_lost') work.signals.throwIfInterrupted();
    work.log.warn({ err: error, stepId }, 'the work of a step could not be taken in');
    const message = error instanceof Error ? error.message : String(error);
    const tooLarge = error instanceof AppError && error.code === 'too_large';
    return {
      kind: 'lost',
      failure: { reason: tooLarge ? 'work_too_large' : 'tree_not_taken', message },
    };
  }
}

/** What a collector needs to see a layer as the step saw it. */
export async function lookAt(
  { workspace }: RunWork,
  { view, look }: StepDirectories,
  layers: readonly string[],
): Promise<{ layers: string[]; view: string }> {
  const upper = upperDirectory(view);
  // The agent may have closed the root of its own tree; the overlay remembers its permissions from the moment it is made.
  await workspace.openLayer(upper);
  return { layers: [upper, ...layers], view: look };
}
