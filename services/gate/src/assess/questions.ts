/** The three questions that an assessment rests on. Asked in one transaction, and once: asking again finds them. */
import { answerOf, ask, type GithubRequestRow } from '@sallyport/shared/db/github-request';
import type { Transaction } from '@sallyport/shared/db/pool';
import type { TaskRow } from '@sallyport/shared/db/task';
import type { AssessedAnswers } from './decide.ts';

export interface Questions {
  permission: GithubRequestRow;
  subject: GithubRequestRow;
  head: GithubRequestRow;
}

/** Asks what was not asked yet, and returns how all three stand. */
export async function askQuestions(tx: Transaction, task: TaskRow): Promise<Questions> {
  const about = {
    taskId: task.id,
    installationId: task.installationId,
    repositoryId: task.repositoryId,
  };
  return {
    permission: await ask(tx, {
      ...about,
      kind: 'permission',
      params: { login: task.requesterLogin },
    }),
    subject: await ask(tx, { ...about, kind: 'subject', params: { number: task.subjectNumber } }),
    head: await ask(tx, { ...about, kind: 'head', params: { ref: null } }),
  };
}

/** Whether one of them is still open. */
export function isWaiting(questions: Questions): boolean {
  return Object.values(questions).some((row) => (row as GithubRequestRow).state === 'asked');
}

/** The answers; null where GitHub's is unknown or has not the shape that was asked for. */
export function answersOf(questions: Questions): AssessedAnswers {
  return {
    permission: answerOf(questions.permission, 'permission'),
    subject: answerOf(questions.subject, 'subject'),
    head: answerOf(questions.head, 'head'),
  };
}
