/** Takes a claimed run up: the states, the event, and what a launcher that is no more left unfinished. */
import { inLeasedTransaction, holdsLease, requireHeld } from '@sallyport/shared/db/lease';
import { endStep, listSteps } from '@sallyport/shared/db/step';
import { moveRun, moveTask } from '@sallyport/shared/db/task';
import { appendEvent } from '@sallyport/shared/db/timeline';
import { crashPoint } from '@sallyport/shared/crash-point';
import { readRequest } from './build-task-file.ts';
import { stopRun } from './run-stop.ts';
import type { AdmittedRun, RunWork } from './work.ts';

/**
 * Moves task and run to `running` and says so in the timeline.
 * @throws RunStopped `cancelled` when somebody else moved them meanwhile, AppError `conflict` when the lease is lost.
 */
export async function beginRun(work: RunWork, admitted: AdmittedRun): Promise<void> {
  const { task, run, snapshot } = admitted;
  const { db, lease, instance } = work;
  await inLeasedTransaction(db, lease, async (tx) => {
    const taskMoved =
      task.state === 'running' || (await moveTask(tx, task.id, 'admitted', 'running'));
    const runMoved =
      run.state === 'running' ||
      (await moveRun(tx, run.id, run.state, 'running', { fence: lease.fence }));
    if (!taskMoved || !runMoved) {
      requireHeld(await holdsLease(tx, lease), lease);
      stopRun({ kind: 'cancelled' });
    }
    const resumed = run.state !== 'pending';
    await appendEvent(tx, task.id, 'run_started', {
      runId: run.id,
      number: run.number,
      launcher: instance,
      fence: lease.fence,
      resumed,
      // By kind, how much of the request its readers did not see and the agents are not told.
      removedFromRequest: readRequest(snapshot).removed,
    });
  });
  crashPoint('launcher:run_started');
}

/** Ends steps that were started under an earlier lease: nobody will, and what ran there is gone. */
export async function endLostSteps(work: RunWork): Promise<void> {
  const { db, lease, taskId } = work;
  // First, so that no step is ever at work twice: an engine's containers outlive the launcher that started them.
  const left = await work.driver.endLeft(lease.runId);
  if (left > 0) work.log.warn({ ended: left }, 'sandboxes of a lost launcher were ended');
  const lost = (await listSteps(db, lease.runId)).filter((step) => step.state === 'started');
  for (const step of lost) {
    const message = 'the launcher that ran this step was lost';
    await inLeasedTransaction(db, lease, async (tx) => {
      const exit = { reason: 'launcher_lost', message };
      const nothing = {
        tree: null,
        commit: null,
        packArtifactId: null,
        transcriptArtifactId: null,
        handOff: null,
      };
      const ended = await endStep(tx, lease, { id: step.id, state: 'failed', ...nothing, exit });
      requireHeld(ended, lease);
      await appendEvent(tx, taskId, 'step_ended', {
        stepId: step.id,
        runId: lease.runId,
        node: step.node,
        visit: step.visit,
        attempt: step.attempt,
        readOnly: step.readOnly,
        state: 'failed',
        reason: 'launcher_lost',
        message,
      });
    });
  }
}
