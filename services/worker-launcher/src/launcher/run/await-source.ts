/**
 * Gets the start commit into the mirror: asks the publisher for its pack, with the ticket, waits for the answer, and
 * feeds it to a collector. Nothing is asked twice, and what the mirror has already is not fed again.
 */
import { findArtifact, streamArtifact } from '@sallyport/shared/artifacts/store';
import { crashPoint } from '@sallyport/shared/crash-point';
import { answerOf, ask, findGithubRequest } from '@sallyport/shared/db/github-request';
import { inLeasedTransaction, requireHeld } from '@sallyport/shared/db/lease';
import { setRunSourceArtifact, setRunSourceRequest } from '@sallyport/shared/db/run';
import { AppError } from '@sallyport/shared/errors';
import { mirrorDirectory } from '../collector/layout.ts';
import { extendMirror } from '../collector/mirror.ts';
import { prepareRun } from '../collector/prepare-run.ts';
import { failRun, stopRun } from './run-stop.ts';
import type { AdmittedRun, RunWork } from './work.ts';

const LOOK_AGAIN_MS = 1_000;

interface SourceAnswer {
  artifactId: string;
  shallow: readonly string[];
}

/**
 * Makes the run's store from the start commit.
 * @returns the tree of the start commit.
 * @throws RunStopped when the source cannot be had, or nothing may go on.
 */
export async function awaitSource(work: RunWork, admitted: AdmittedRun): Promise<string> {
  const requestId = await askForSource(work, admitted);
  crashPoint('launcher:source_asked');
  const answer = await awaitAnswer(work, admitted, requestId);
  await inLeasedTransaction(work.db, work.lease, async (tx) =>
    requireHeld(await setRunSourceArtifact(tx, work.lease, answer.artifactId), work.lease),
  );
  crashPoint('launcher:source_answered');
  return prepareFromSource(work, admitted, answer);
}

async function askForSource(work: RunWork, { task, claims }: AdmittedRun): Promise<string> {
  return inLeasedTransaction(work.db, work.lease, async (tx) => {
    const request = await ask(tx, {
      kind: 'source',
      taskId: task.id,
      installationId: task.installationId,
      repositoryId: task.repositoryId,
      params: { sha: claims.start.sha },
      ticketJti: claims.jti,
    });
    requireHeld(await setRunSourceRequest(tx, work.lease, request.id), work.lease);
    return request.id;
  });
}

async function awaitAnswer(
  work: RunWork,
  { task }: AdmittedRun,
  requestId: string,
): Promise<SourceAnswer> {
  for (;;) {
    work.signals.throwIfNothingMayStart();
    const request = await findGithubRequest(work.db, requestId);
    const answer = answerOf(request, 'source');
    if (answer !== null && request?.artifactId != null) {
      return { artifactId: request.artifactId, shallow: answer.shallow };
    }
    if (request?.state !== 'asked') {
      const reason = reasonIn(request?.answer) ?? 'source_unavailable';
      failRun(
        reason,
        'the start commit could not be fetched; its request in the timeline of the publisher says why',
      );
    }
    // A halt need not be waited out with a place for a run taken up.
    const view = work.halt.view(task.repositoryId);
    if (view.kind === 'halted')
      stopRun({ kind: 'suspended', reason: 'halted', message: view.reason });
    await work.answers.wait(requestId, LOOK_AGAIN_MS, work.signals.wait);
  }
}

function reasonIn(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('reason' in answer)) return undefined;
  const { reason } = answer;
  return typeof reason === 'string' && /^[a-z][a-z0-9_]{0,60}$/.test(reason) ? reason : undefined;
}

async function prepareFromSource(
  work: RunWork,
  { task, claims }: AdmittedRun,
  { artifactId, shallow }: SourceAnswer,
): Promise<string> {
  const start = claims.start.sha;
  const directory = mirrorDirectory(work.stateDir, task.repositoryId);
  const place = {
    id: `source-${work.lease.runId}-${work.lease.fence}`,
    labels: { task: task.id, run: work.lease.runId },
    run: work.directories.pathOf(work.lease),
    signal: work.signals.agent,
  };
  try {
    const mirror = { directory, access: 'read_only' } as const;
    const [prepared] = await work.collector.run({
      ...place,
      mirror,
      operations: [prepareRun({ start })],
    });
    return prepared.tree;
  } catch (error) {
    if (!isProblem(error, 'source_incomplete')) throw error;
  }
  await findArtifact(work.db, artifactId).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') {
      failRun('source_expired', 'the fetched source has been removed meanwhile; retry the task', {
        cause: error,
      });
    }
    throw error;
  });
  try {
    const [, prepared] = await work.collector.run({
      ...place,
      mirror: { directory, access: 'read_write' },
      operations: [
        extendMirror({ pack: halfWay(streamArtifact(work.db, artifactId)), shallow }),
        prepareRun({ start }),
      ],
    });
    return prepared.tree;
  } catch (error) {
    work.signals.throwIfInterrupted();
    if (error instanceof AppError && (error.code === 'bad_input' || error.code === 'too_large')) {
      failRun('source_unusable', `the fetched source cannot be used: ${error.message}`, {
        cause: error,
      });
    }
    throw error;
  }
}

async function* halfWay(pack: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pack) {
    const half = Math.ceil(piece.byteLength / 2);
    yield piece.subarray(0, half);
    crashPoint('launcher:source_half_read');
    yield piece.subarray(half);
  }
}

function isProblem(error: unknown, problem: string): boolean {
  return error instanceof AppError && error.detail['problem'] === problem;
}
