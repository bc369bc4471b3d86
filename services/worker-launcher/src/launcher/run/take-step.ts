/**
 * Takes in what a step left, once nothing of its sandbox runs any more: the tree, and the pack that outlives this host.
 * Also after a failure, as far as it goes: work that was paid for is kept even when nothing follows from it.
 */
import { AppError } from '@sallyport/shared/errors';
import { mirrorDirectory } from '../collector/layout.ts';
import { writeStepPack } from '../collector/step-pack.ts';
import { takeTree, type TakenTree } from '../collector/take-tree.ts';
import type { StepFailure } from './judge-exit.ts';
import type { AdmittedRun, RunWork } from './work.ts';

export type TakenWork = Extract<TakenTree, { kind: 'taken' }>;
export type StepTaking =
  | { ok: true; taken: TakenWork; /** Null when nothing was changed. */ pack: Buffer | null }
  | { ok: false; failure: StepFailure };

/** @throws RunStopped when the lease was lost meanwhile. */
export async function takeStep(
  work: RunWork,
  admitted: AdmittedRun,
  stepId: string,
  baseTree: string,
): Promise<StepTaking> {
  const start = admitted.claims.start.sha;
  const place = {
    labels: { task: work.taskId, run: work.lease.runId, step: stepId },
    mirror: {
      directory: mirrorDirectory(work.stateDir, admitted.task.repositoryId),
      access: 'read_only',
    },
    run: work.directories.pathOf(work.lease),
    signal: work.signals.collect,
  } as const;
  try {
    const [taken] = await work.collector.run({
      ...place,
      id: `take-${stepId}`,
      operations: [takeTree({ key: stepId, given: baseTree, start })],
    });
    if (taken.kind === 'refused') {
      return { ok: false, failure: { reason: `tree_${taken.reason}`, message: taken.message } };
    }
    if (taken.tree === baseTree) return { ok: true, taken, pack: null };
    const pieces: Buffer[] = [];
    await work.collector.run({
      ...place,
      id: `pack-${stepId}`,
      operations: [
        writeStepPack({
          commit: taken.commit,
          start,
          onData: (piece) => void pieces.push(Buffer.from(piece)),
        }),
      ],
    });
    return { ok: true, taken, pack: Buffer.concat(pieces) };
  } catch (error) {
    if (work.signals.interruption === 'lease_lost') work.signals.throwIfInterrupted();
    work.log.warn({ err: error, stepId }, 'the work of a step could not be taken in');
    const message = error instanceof Error ? error.message : String(error);
    const tooLarge = error instanceof AppError && error.code === 'too_large';
    return {
      ok: false,
      failure: { reason: tooLarge ? 'work_too_large' : 'tree_not_taken', message },
    };
  }
}
