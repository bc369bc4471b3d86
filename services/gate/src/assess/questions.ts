/** The questions that an assessment rests on: three always, a fourth for a team of the repository. Asked in one transaction, and once: asking again finds them. */
import { answerOf, ask, type GithubRequestRow } from '@sallyport/shared/db/github-request';
import type { Transaction } from '@sallyport/shared/db/pool';
import type { TaskRow } from '@sallyport/shared/db/task';
import { teamFileName, TEAMS_DIRECTORY } from '../choices/repository-team.ts';
import type { AssessedAnswers } from './decide.ts';

export interface Questions {
  permission: GithubRequestRow;
  subject: GithubRequestRow;
  head: GithubRequestRow;
}

/** Asks what was not asked yet, and returns how all three stand. */
export async function askQuestions(tx: Transaction, task: TaskRow): Promise<Questions> {
  const about = subjectOf(task);
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

/** Asks for the file of the task's team at this commit, once; how the question stands. */
export async function askTeamFile(
  tx: Transaction,
  task: TaskRow,
  sha: string,
): Promise<GithubRequestRow> {
  return ask(tx, {
    ...subjectOf(task),
    kind: 'file_at',
    params: { sha, directory: TEAMS_DIRECTORY, name: teamFileName(task.team) },
  });
}

function subjectOf(
  task: TaskRow,
): Pick<GithubRequestRow, 'taskId' | 'installationId' | 'repositoryId'> {
  return {
    taskId: task.id,
    installationId: task.installationId,
    repositoryId: task.repositoryId,
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
