/**
 * Ends a run with its bundle and hands it to the publisher. The launcher judges nothing: also work whose agent says that
 * it failed or is blocked is collected, with what it said; whether it leaves is decided where the key is.
 */
import { storeArtifact, streamArtifact } from '@sallyport/shared/artifacts/store';
import { crashPoint } from '@sallyport/shared/crash-point';
import { holdsLease, inLeasedTransaction, requireHeld } from '@sallyport/shared/db/lease';
import { enqueue } from '@sallyport/shared/db/outbox';
import { setRunResult } from '@sallyport/shared/db/run';
import type { StepRow } from '@sallyport/shared/db/step';
import { moveRun, moveTask } from '@sallyport/shared/db/task';
import { appendEvent } from '@sallyport/shared/db/timeline';
import { AppError } from '@sallyport/shared/errors';
import { mirrorDirectory } from '../collector/layout.ts';
import { makeBundle } from '../collector/make-bundle.ts';
import { loadStepPack } from '../collector/step-pack.ts';
import type { BaseTree } from '../engine/run-trees.ts';
import { failRun, stopRun } from './run-stop.ts';
import type { AdmittedRun, RunWork } from './work.ts';

/** @throws RunStopped `failed` when no bundle can be made, `cancelled` when the task has moved on. */
export async function finishRun(
  work: RunWork,
  admitted: AdmittedRun,
  { tree, step }: BaseTree,
  startTree: string,
): Promise<void> {
  const { db, lease, taskId } = work;
  const bundle =
    step !== null && tree !== startTree ? await storeBundle(work, admitted, step) : null;
  crashPoint('launcher:bundle_stored_not_queued');
  await inLeasedTransaction(db, lease, async (tx) => {
    const result = {
      bundleArtifactId: bundle?.artifactId ?? null,
      headOid: bundle?.head ?? null,
      treeOid: tree,
    };
    const moved =
      (await setRunResult(tx, lease, result)) &&
      (await moveRun(tx, lease.runId, 'running', 'collected', { fence: lease.fence })) &&
      (await moveTask(tx, taskId, 'running', 'collected'));
    if (!moved) {
      requireHeld(await holdsLease(tx, lease), lease);
      stopRun({ kind: 'cancelled' });
    }
    await appendEvent(tx, taskId, 'bundle_collected', {
      runId: lease.runId,
      ...result,
      start: admitted.claims.start.sha,
      branch: admitted.claims.branch,
      sha256: bundle?.sha256 ?? null,
      size: bundle?.size ?? 0,
      empty: bundle === null,
    });
    await enqueue(tx, 'publish', { v: 1, runId: lease.runId });
  });
  crashPoint('launcher:collected_not_forwarded');
}

async function storeBundle(
  work: RunWork,
  { task, claims }: AdmittedRun,
  step: StepRow,
): Promise<{ artifactId: string; head: string; sha256: string; size: number }> {
  const { commit, packArtifactId } = step;
  if (commit === null || packArtifactId === null) {
    throw new AppError('internal', 'a finished step with a change has no pack', {
      detail: { stepId: step.id },
    });
  }
  const pieces: Buffer[] = [];
  const start = claims.start.sha;
  try {
    await work.collector.run({
      id: `bundle-${work.lease.runId}-${work.lease.fence}`,
      labels: { task: task.id, run: work.lease.runId },
      mirror: { directory: mirrorDirectory(work.stateDir, task.repositoryId), access: 'read_only' },
      run: work.directories.pathOf(work.lease),
      // Always from what was committed to Postgres, so that a bundle made after a take-over is made in no other way.
      operations: [
        loadStepPack({ commit, start, pack: streamArtifact(work.db, packArtifactId) }),
        makeBundle({
          commit,
          start,
          branch: claims.branch,
          onData: (piece) => void pieces.push(Buffer.from(piece)),
        }),
      ],
      signal: work.signals.collect,
    });
  } catch (error) {
    work.signals.throwIfInterrupted();
    if (error instanceof AppError && (error.code === 'bad_input' || error.code === 'too_large')) {
      failRun('bundle_failed', `no bundle could be made of the work: ${error.message}`, {
        cause: error,
      });
    }
    throw error;
  }
  const stored = await storeArtifact(work.db, { kind: 'bundle', taskId: task.id, bytes: pieces });
  return { artifactId: stored.id, head: commit, sha256: stored.sha256, size: stored.size };
}
