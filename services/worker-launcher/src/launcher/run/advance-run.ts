/**
 * The whole work on one claimed run, from the check of its ticket to its bundle. It reads from Postgres what is done and
 * does the next missing thing, so it can be broken off anywhere and called again, here or on another host.
 */
import { releaseLease } from '@sallyport/shared/db/lease';
import { listSteps } from '@sallyport/shared/db/step';
import { AppError } from '@sallyport/shared/errors';
import { awaitSource } from './await-source.ts';
import { beginRun, endLostSteps } from './begin-run.ts';
import { chooseNode } from './choose-node.ts';
import { finishRun } from './finish-run.ts';
import { performStep } from './perform-step.ts';
import { planNext } from './plan-next.ts';
import { readAdmittedRun } from './read-admitted-run.ts';
import { failRun, RunStopped, type RunStop } from './run-stop.ts';
import { settleStop } from './settle-stop.ts';
import type { RunWork } from './work.ts';

/** So often may a run be claimed before an error that nobody foresaw ends it. */
const MAX_CLAIMS = 50;

/** Works on the run until it is collected or stops. Never throws; leaves neither lease nor files behind. */
export async function advanceRun(work: RunWork): Promise<RunStop | { kind: 'collected' }> {
  const { log } = work;
  let stop: RunStop | undefined;
  try {
    await workThrough(work);
  } catch (error) {
    stop = asStop(work, error);
    log.info({ err: error, stop }, 'work on the run stopped');
  }
  try {
    if (stop !== undefined) await settleStop(work, stop);
  } catch (error) {
    log.warn({ err: error, stop }, 'the stop of the run could not be written; the lease runs out');
    stop = { kind: 'later' };
  }
  await work.directories.remove(work.lease).catch((error: unknown) => {
    log.error({ err: error }, 'the run directory cannot be removed');
  });
  // Kept when this side is in trouble: its running out is what spaces the attempts.
  if (stop?.kind !== 'later' && stop?.kind !== 'lease_lost') {
    await releaseLease(work.db, work.lease).catch((error: unknown) => {
      log.warn({ err: error }, 'the lease could not be released; it runs out');
    });
  }
  return stop ?? { kind: 'collected' };
}

async function workThrough(work: RunWork): Promise<void> {
  const admitted = await readAdmittedRun(work);
  await beginRun(work, admitted);
  await endLostSteps(work);
  const chosen = chooseNode(admitted, work.agents);
  const startTree = await awaitSource(work, admitted);
  const { limits } = admitted.claims;
  for (;;) {
    work.signals.throwIfInterrupted();
    const steps = await listSteps(work.db, work.lease.runId);
    const plan = planNext({
      node: chosen.node,
      limits: { steps: limits.steps, wallSeconds: limits.wall_seconds },
      steps,
    });
    if (plan.kind === 'failed') failRun(plan.reason, plan.message);
    if (plan.kind === 'finished') {
      const last = steps.find((step) => step.state === 'finished' && step.attempt === plan.attempt);
      if (last === undefined)
        throw new AppError('internal', 'a finished step is not among the steps');
      return finishRun(work, admitted, last, startTree);
    }
    work.signals.throwIfNothingMayStart();
    await work.halt.assertClear(admitted.task.repositoryId);
    const { claims } = await readAdmittedRun(work);
    await performStep(work, {
      admitted: { ...admitted, claims },
      chosen,
      visit: plan.visit,
      attempt: plan.attempt,
      wallSecondsLeft: plan.wallSecondsLeft,
      baseTree: startTree,
    });
  }
}

function asStop(work: RunWork, error: unknown): RunStop {
  if (error instanceof RunStopped) return error.stop;
  if (work.signals.interruption !== undefined) {
    try {
      work.signals.throwIfInterrupted();
    } catch (interruption) {
      if (interruption instanceof RunStopped) return interruption.stop;
    }
  }
  if (error instanceof AppError && error.code === 'conflict' && 'fence' in error.detail) {
    return { kind: 'lease_lost' };
  }
  if (error instanceof AppError && error.code === 'halted') {
    return { kind: 'suspended', reason: 'halted', message: error.message };
  }
  if (work.lease.fence >= MAX_CLAIMS) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', reason: 'internal_error', message };
  }
  work.log.error({ err: error }, 'work on the run failed');
  return { kind: 'later' };
}
