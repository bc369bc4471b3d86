/**
 * Takes one run's result as far towards GitHub as it can go now. Level-triggered: it reads the truth, does the next missing
 * thing, and may be called any number of times, at once, by a job, a nudge or a sweep. The order of things never changes:
 * ticket, trigger, import, policy, base, push, pull request, comment.
 */
import { findNewestArtifact } from '@sallyport/shared/artifacts/store';
import { crashPoint } from '@sallyport/shared/crash-point';
import { findBundleImport, isImportAsked } from '@sallyport/shared/db/bundle-import';
import { enqueue } from '@sallyport/shared/db/outbox';
import { inTransaction } from '@sallyport/shared/db/pool';
import {
  beginPublication,
  findPublication,
  recordCommented,
  recordOpened,
  recordPushed,
  type PublicationRow,
} from '@sallyport/shared/db/publication';
import { findCurrentRun, findRun, findTask, moveTask } from '@sallyport/shared/db/task';
import type { HeldLock } from '@sallyport/shared/db/task-lock';
import { appendEvent } from '@sallyport/shared/db/timeline';
import { AppError, errorCodeOf, type ErrorCode } from '@sallyport/shared/errors';
import type { PublisherContext } from '../context.ts';
import { storeSource } from '../source-pack.ts';
import { announcePull, announceStop } from './announce.ts';
import { openCanaryWatch } from './canary-watch.ts';
import { withCaseToken, type Case } from './case.ts';
import { confirmTrigger } from './confirm-trigger.ts';
import { describePull } from './describe.ts';
import { inspectBase, type BaseInspection } from './inspect-base.ts';
import { judgeImport, stopOf, type Judged } from './judge.ts';
import { openPull } from './open-pull.ts';
import { pushBranch } from './push.ts';
import { readSnapshot } from './read-snapshot.ts';
import { requireClaims } from './require-claims.ts';
import { recordPublishVerdict, settleRefusedTicket, settleStop } from './settle.ts';
import { lookAtTexts, mostOf, showable } from './watch-texts.ts';
import { reject, type Stop } from './stop.ts';

const LOCK_WAIT_MS = 10_000;
const IMPORT_AGAIN_SECONDS = 15;

/** @throws AppError of a failure that may pass; the task stays `judging` and the queue, then the sweep, come back to it. */
export async function advancePublication(context: PublisherContext, runId: string): Promise<void> {
  const run = await findRun(context.db, runId);
  if (run === null) return;
  try {
    const done = await context.locks.withLock(`publish:${run.taskId}`, LOCK_WAIT_MS, (lock) =>
      advanceLocked(context, runId, lock),
    );
    if (done !== 'busy') context.backoff.forget(runId);
  } catch (error) {
    const code = errorCodeOf(error);
    // A halt is no failure: the sweep finds the task after the release.
    if (code === 'halted') return;
    context.backoff.failed(runId, retryAfterOf(error));
    if (code === 'rate_limited') return;
    throw error;
  }
}

function retryAfterOf(error: unknown): number {
  return error instanceof AppError ? Number(error.detail['retryAfterSeconds'] ?? 0) : 0;
}

async function advanceLocked(
  context: PublisherContext,
  runId: string,
  lock: HeldLock,
): Promise<void> {
  const one = await openCase(context, runId, lock);
  if (one === null) return;
  try {
    await proceed(one);
  } catch (error) {
    await settleStop(one, stopOnRefusal(error), null, null);
  }
}

async function proceed(one: Case): Promise<void> {
  const { context, run, task } = one;
  const imported = await findBundleImport(context.db, run.id);
  // Asked and not answered yet: sweeps come by every few seconds, and GitHub need not hear of each.
  const waits = run.bundleArtifactId !== null && imported === null;
  if (waits && (await isImportAsked(context.db, run.id, IMPORT_AGAIN_SECONDS))) return;
  const publication = await findPublication(context.db, task.id);
  // Nothing of this run is on GitHub yet, so GitHub itself must say that the request is what was admitted.
  const unconfirmed = isPushed(publication, one) ? null : await confirmTrigger(one);
  if (unconfirmed !== null) return void (await settleStop(one, unconfirmed, null, null));
  if (run.bundleArtifactId === null) {
    return end(one, reject('empty_change', 'The run ended without a change.'), null, null);
  }
  if (imported === null) return requestImport(one);
  const judged = await judgeImport(one, imported);
  if ('decision' in judged) return end(one, judged, null, null);
  const stop = mostOf(stopOf(judged.verdict), one.canaries.stop());
  if (stop !== null) return end(one, stop, judged, null);
  await publish(one, judged, publication);
}

/** Everything that must hold before anything is done; null when there is nothing to do, or the ticket permits nothing. */
async function openCase(
  context: PublisherContext,
  runId: string,
  lock: HeldLock,
): Promise<Case | null> {
  const { db } = context;
  const run = await findRun(db, runId);
  const task = run === null ? null : await findTask(db, run.taskId);
  if (run === null || task === null || run.state !== 'collected') return null;
  if (task.state !== 'collected' && task.state !== 'judging') return null;
  if ((await findCurrentRun(db, task.id))?.id !== run.id) return null;
  await context.halt.assertClear(task.repositoryId);
  let claims: Case['claims'];
  try {
    claims = await requireClaims(context, task, run);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'ticket_invalid') throw error;
    await settleRefusedTicket(context, task, run, String(error.detail['why']));
    return null;
  }
  if (task.state === 'collected' && !(await moveTask(db, task.id, 'collected', 'judging')))
    return null;
  crashPoint('publisher:judging_begun');
  const snapshot = await readSnapshot(db, claims);
  if (snapshot === null) {
    await settleRefusedTicket(context, { ...task, state: 'judging' }, run, 'snapshot');
    return null;
  }
  const canaries = await openCanaryWatch(db, run);
  return { context, task, run, claims, snapshot, canaries, lock };
}

/** Tells the issue, then ends the task: a comment whose record is lost is found again, a move is not. */
async function end(
  one: Case,
  stop: Stop,
  judged: Judged | null,
  base: BaseInspection | null,
): Promise<void> {
  const told = showable(one, stop);
  await announceStop(one, told);
  crashPoint('publisher:stop_told_not_settled');
  await settleStop(one, told, judged, base);
}

async function requestImport(one: Case): Promise<void> {
  const { context, claims, run } = one;
  // The importer has no way to GitHub: what it builds on must be there before it is asked.
  if ((await findNewestArtifact(context.db, 'source_pack', claims.task_id)) === null) {
    await withCaseToken(one, 'read_source', (grant) =>
      storeSource(context, grant, claims.task_id, claims.start.sha),
    );
  }
  await enqueue(context.db, 'import', { v: 1, runId: run.id });
  crashPoint('publisher:import_asked');
}

async function publish(one: Case, judged: Judged, earlier: PublicationRow | null): Promise<void> {
  const { context, task } = one;
  if (earlier?.pushedAt !== null && earlier !== null && !isPushed(earlier, one)) {
    return end(
      one,
      {
        decision: 'hold',
        reason: 'branch_taken',
        message: 'An earlier run of this task has its work on the branch.',
      },
      judged,
      null,
    );
  }
  let pullNumber = earlier?.pullNumber ?? null;
  if (pullNumber === null) {
    const base = await inspectBase(one, judged.changedPaths);
    const headSha = isPushed(earlier, one)
      ? earlier.headSha
      : await pushAndRecord(one, judged, base);
    pullNumber = headSha === null ? null : await openAndRecord(one, judged, base, headSha);
  }
  if (pullNumber === null) return;
  if ((earlier?.commentedAt ?? null) === null) {
    const commentId = await announcePull(one, pullNumber);
    crashPoint('publisher:commented_not_recorded');
    if (commentId !== null) await recordCommented(context.db, task.id, commentId);
    crashPoint('publisher:comment_recorded');
  }
  await moveTask(context.db, task.id, 'judging', 'published');
  crashPoint('publisher:published');
}

function isPushed(publication: PublicationRow | null, one: Case): publication is PublicationRow {
  return publication !== null && publication.pushedAt !== null && publication.runId === one.run.id;
}

/** The pushed commit, or null when the task was ended instead. */
async function pushAndRecord(
  one: Case,
  judged: Judged,
  base: BaseInspection,
): Promise<string | null> {
  const { context, claims, task } = one;
  if (base.stop !== null) {
    await end(one, base.stop, judged, base);
    return null;
  }
  const leak = await lookAtTexts(one, judged, base);
  if (leak !== null) {
    await end(one, leak, judged, base);
    return null;
  }
  await recordPublishVerdict(one, judged, base);
  const begun = await beginPublication(context.db, {
    repositoryId: claims.repository.id,
    triggerId: one.snapshot.trigger.id,
    taskId: task.id,
    runId: one.run.id,
    kind: claims.act,
    branch: claims.branch,
    baseRef: claims.base.ref,
    baseSha: claims.base.sha,
    treeOid: judged.tree,
  });
  if (begun === null) {
    await end(
      one,
      reject('trigger_answered', 'This comment was answered by another task already.'),
      judged,
      base,
    );
    return null;
  }
  crashPoint('publisher:verdict_committed');
  const pushed = await pushBranch(one, judged);
  if ('decision' in pushed) {
    await end(one, pushed, judged, base);
    return null;
  }
  await inTransaction(context.db, async (tx) => {
    if (!(await recordPushed(tx, task.id, pushed.headSha))) return;
    await appendEvent(tx, task.id, 'pushed', {
      branch: claims.branch,
      headSha: pushed.headSha,
      baseSha: claims.base.sha,
      tree: judged.tree,
      adopted: pushed.adopted,
    });
  });
  crashPoint('publisher:push_recorded');
  return pushed.headSha;
}

/** The number of the pull request, or null when the task was ended instead. */
async function openAndRecord(
  one: Case,
  judged: Judged,
  base: BaseInspection,
  headSha: string,
): Promise<number | null> {
  const { context, claims, task } = one;
  const opened = await openPull(one, await describePull(one, judged, base));
  if ('decision' in opened) {
    await end(one, opened, judged, base);
    return null;
  }
  await inTransaction(context.db, async (tx) => {
    if (!(await recordOpened(tx, task.id, opened))) return;
    await appendEvent(tx, task.id, 'published', {
      number: opened.number,
      url: opened.url,
      branch: claims.branch,
      headSha,
      baseSha: claims.base.sha,
      adopted: opened.adopted,
    });
  });
  crashPoint('publisher:pull_recorded');
  return opened.number;
}

const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'forbidden',
  'not_found',
  'bad_input',
  'too_large',
]);

/** A definite no of GitHub holds the publication for a person; whatever may pass, and whatever is our own fault, rises. */
function stopOnRefusal(error: unknown): Stop {
  if (!(error instanceof AppError) || !REFUSALS.has(error.code)) throw error;
  const { detail } = error;
  // The status of a request, the exit of a git child, or the reason that a check of ours gave it.
  if (!('status' in detail || 'exitCode' in detail || 'why' in detail)) throw error;
  const reason = typeof detail['why'] === 'string' ? detail['why'] : `github_${error.code}`;
  return {
    decision: 'hold',
    reason,
    message: 'GitHub does not give the App what it needs to publish this.',
  };
}
