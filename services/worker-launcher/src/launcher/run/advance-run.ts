/**
 * The whole work on one claimed run, from the check of its ticket to its bundle. It reads from Postgres what is done and
 * does the next missing thing, so it can be broken off anywhere and called again, here or on another host.
 */
import { releaseLease } from '@sallyport/shared/db/lease';
import { AppError } from '@sallyport/shared/errors';
import { planNodes } from '../engine/plan-nodes.ts';
import { runTeam } from '../engine/run-team.ts';
import { prepareEnvironment } from '../environment/prepare-environment.ts';
import { awaitSource } from './await-source.ts';
import { beginRun, endLostSteps } from './begin-run.ts';
import { finishRun } from './finish-run.ts';
import { readAdmittedRun } from './read-admitted-run.ts';
import { RunStopped, type RunStop } from './run-stop.ts';
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
  const planned = planNodes(admitted, work.agents);
  const startTree = await awaitSource(work, admitted);
  const environment = await prepareEnvironment(work, admitted, startTree);
  const result = await runTeam(work, admitted, planned, startTree, environment);
  work.signals.throwIfInterrupted();
  await finishRun(work, admitted, result, startTree);
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
