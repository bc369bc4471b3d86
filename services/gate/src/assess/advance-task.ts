/**
 * Takes a task the next step that it lacks, from what Postgres says and nothing else. Called by jobs, by nudges and by the
 * sweep, in any number and at once; whoever comes second finds the step taken.
 */
import { crashPoint } from '@sallyport/shared/crash-point';
import { findDelivery } from '@sallyport/shared/db/delivery';
import { answerOf } from '@sallyport/shared/db/github-request';
import { lastLiftedAt } from '@sallyport/shared/db/halt';
import { inTransaction } from '@sallyport/shared/db/pool';
import { findTask, moveTask, type TaskRow } from '@sallyport/shared/db/task';
import { noteWaiting } from '@sallyport/shared/db/task-admission';
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import { readRepositoryTeam, type RepositoryTeam } from '../choices/repository-team.ts';
import { parseDelivery } from '../delivery/parse-delivery.ts';
import type { Gate } from '../gate.ts';
import { admitTask } from './admit-task.ts';
import {
  decide,
  decideBeforeTeam,
  judgeRequest,
  mayBeOfRepository,
  type AssessedAnswers,
  type AssessedRequest,
  type Reason,
} from './decide.ts';
import { expireTask, refuseTask } from './end-task.ts';
import { answersOf, askQuestions, askTeamFile, isWaiting } from './questions.ts';
import { takeSnapshot } from './take-snapshot.ts';

export async function advanceTask(gate: Gate, taskId: string): Promise<void> {
  const task = await findTask(gate.db, taskId);
  if (task?.state === 'received') await beginAssessment(gate, task);
  else if (task?.state === 'assessing') await assess(gate, task);
}

async function beginAssessment(gate: Gate, task: TaskRow): Promise<void> {
  const reasons = judgeRequest(requestOf(gate, task));
  if (reasons.some((reason) => reason.result !== 'pass')) {
    if (await isClear(gate, task)) await refuseTask(gate, task, reasons);
    return;
  }
  await inTransaction(gate.db, async (tx) => {
    if (await moveTask(tx, task.id, 'received', 'assessing')) await askQuestions(tx, task);
  });
  crashPoint('gate:asked_not_forwarded');
}

async function assess(gate: Gate, task: TaskRow): Promise<void> {
  const questions = await inTransaction(gate.db, (tx) => askQuestions(tx, task));
  if (isWaiting(questions)) return expireIfOverdue(gate, task);
  if (!(await isClear(gate, task))) return;
  const answers = answersOf(questions);
  const request = requestOf(gate, task);
  const found = await findRepositoryTeam(gate, task, request, answers);
  if (found === 'waiting') return expireIfOverdue(gate, task);
  const { decision, reasons } = decide(request, answers, found);
  if (decision === 'admit') await admit(gate, task, answers, found, reasons);
  else await refuseTask(gate, task, reasons);
}

/** The team as the repository has it in the commit that the run will start from; null when it is not to be looked for. */
async function findRepositoryTeam(
  gate: Gate,
  task: TaskRow,
  request: AssessedRequest,
  answers: AssessedAnswers,
): Promise<RepositoryTeam | 'waiting' | null> {
  const sha = answers.head?.sha ?? null;
  if (!mayBeOfRepository(request) || sha === null) return null;
  if (decideBeforeTeam(request, answers).decision === 'refuse') return null;
  const row = await inTransaction(gate.db, (tx) => askTeamFile(tx, task, sha));
  if (row.state === 'asked') return 'waiting';
  return readRepositoryTeam({
    name: task.team,
    sha,
    answer: answerOf(row, 'file_at'),
    leave: gate.teams.repository,
  });
}

async function expireIfOverdue(gate: Gate, task: TaskRow): Promise<void> {
  if ((await isOverdue(gate, task)) && (await isClear(gate, task))) await expireTask(gate, task);
}

async function admit(
  gate: Gate,
  task: TaskRow,
  answers: AssessedAnswers,
  found: RepositoryTeam | null,
  reasons: readonly Reason[],
): Promise<void> {
  const delivery = await findDelivery(gate.db, task.deliveryId);
  const event = delivery === null ? null : parseDelivery(delivery, gate.own);
  const { permission, subject, head } = answers;
  const team = found?.kind === 'found' ? found : gate.teams.find(task.team);
  if (
    delivery === null ||
    event?.kind !== 'command' ||
    !permission?.role ||
    !subject ||
    !head?.sha ||
    !team
  ) {
    throw new AppError('internal', 'an admitted task lacks what it was admitted for', {
      detail: { taskId: task.id },
    });
  }
  const snapshot = takeSnapshot({
    delivery,
    event,
    role: permission.role,
    team: task.team,
    base: { ref: head.ref, sha: head.sha },
    subject: { authorId: subject.authorId, updatedAt: subject.updatedAt },
  });
  await admitTask(gate, task, snapshot, team, reasons);
}

function requestOf(gate: Gate, task: TaskRow): AssessedRequest {
  return {
    verb: task.verb,
    team: task.team,
    subjectKind: task.subjectKind,
    requester: { id: task.requesterId, login: task.requesterLogin },
    knownTeams: gate.teams.names,
    repositoryTeams: gate.teams.repository.allow,
  };
}

/** Whether the task may be decided now; a halt leaves it where it is, with the halt shown as the reason. */
async function isClear(gate: Gate, task: TaskRow): Promise<boolean> {
  try {
    await gate.halt.assertClear(task.repositoryId);
    return true;
  } catch (error) {
    if (errorCodeOf(error) !== 'halted') throw error;
    await noteWaiting(gate.db, task.id, 'halted');
    return false;
  }
}

/** A halt stops the clock: what waited for its release has the whole time again. */
async function isOverdue(gate: Gate, task: TaskRow): Promise<boolean> {
  const released = await lastLiftedAt(gate.db, task.repositoryId);
  const since = Math.max(task.movedAt.getTime(), released?.getTime() ?? 0);
  return gate.clock.now().getTime() - since > gate.assessTimeoutSeconds * 1000;
}
