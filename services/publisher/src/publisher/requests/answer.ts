/**
 * Answers what other processes ask GitHub. Level-triggered: called by a job or a sweep, any number of times. An open
 * request ends as `answered`, or as `unknown` after bounded attempts, which every asker takes for no.
 */
import { crashPoint } from '@sallyport/shared/crash-point';
import {
  answerRequest as storeAnswer,
  countAttempt,
  findGithubRequest,
  type GithubRequestRow,
} from '@sallyport/shared/db/github-request';
import { findRepository } from '@sallyport/shared/db/repository';
import { findTask } from '@sallyport/shared/db/task';
import { AppError, errorCodeOf, isRetryable } from '@sallyport/shared/errors';
import { GITHUB_REQUESTS } from '@sallyport/shared/task/github-requests';
import type { PublisherContext } from '../context.ts';
import type { TokenAct } from '../github/token-acts.ts';
import { withToken, type TokenGrant, type TokenRequest } from '../github/token.ts';
import { answerComment } from './comment.ts';
import { answerFileAt, requireFrozenCommit } from './file-at.ts';
import { answerHead } from './head.ts';
import { answerPermission } from './permission.ts';
import { answerSource, requireSourceTicket } from './source.ts';
import { answerSubject } from './subject.ts';

export const MAX_ATTEMPTS = 12;
const LOCK_WAIT_MS = 2_000;

interface Answered {
  answer: unknown;
  artifactId?: string;
}

/**
 * Does the next thing for a request.
 * @throws AppError of a failure that may pass, while attempts are left: the queue tries again.
 */
export async function handleRequest(context: PublisherContext, requestId: string): Promise<void> {
  const request = await findGithubRequest(context.db, requestId);
  if (request === null || request.state !== 'asked') return;
  try {
    const done = await context.locks.withLock(
      `request:${requestId}`,
      LOCK_WAIT_MS,
      async (lock) => {
        const again = await findGithubRequest(context.db, requestId);
        if (again === null || again.state !== 'asked') return;
        // Asked before anything is minted: a token that may write is the start of a write. A halt costs no attempt.
        if (again.kind === 'comment') await context.halt.assertClear(again.repositoryId);
        await countAttempt(context.db, requestId);
        const answered = await answerOnce(context, again, lock);
        crashPoint('publisher:asked_github_not_answered');
        await storeAnswer(context.db, requestId, { state: 'answered', ...answered });
        crashPoint('publisher:request_answered');
      },
    );
    if (done !== 'busy') context.backoff.forget(requestId);
  } catch (error) {
    await settleFailure(context, request, error);
  }
}

async function answerOnce(
  context: PublisherContext,
  request: GithubRequestRow,
  lock: Parameters<typeof answerComment>[4],
): Promise<Answered> {
  const { kind, taskId } = request;
  switch (kind) {
    case 'permission': {
      const params = GITHUB_REQUESTS.permission.params.parse(request.params);
      return ask(context, request, 'read_permission', async (grant) => ({
        answer: await answerPermission(grant, params),
      }));
    }
    case 'subject': {
      const params = GITHUB_REQUESTS.subject.params.parse(request.params);
      return ask(context, request, 'read_subject', async (grant) => ({
        answer: await answerSubject(grant, params),
      }));
    }
    case 'head': {
      const params = GITHUB_REQUESTS.head.params.parse(request.params);
      return ask(context, request, 'read_head', async (grant) => ({
        answer: await answerHead(grant, params),
      }));
    }
    case 'file_at': {
      const params = GITHUB_REQUESTS.file_at.params.parse(request.params);
      await requireFrozenCommit(context.db, taskId, params.sha);
      return ask(context, request, 'read_file', async (grant) => ({
        answer: await answerFileAt(grant, params),
      }));
    }
    case 'comment': {
      const params = GITHUB_REQUESTS.comment.params.parse(request.params);
      const task = await findTask(context.db, taskId);
      if (task === null)
        throw new AppError('bad_input', 'a comment for a task that does not exist');
      return ask(context, request, 'post_comment', async (grant) => ({
        answer: await answerComment(context, grant, task, params, lock),
      }));
    }
    case 'source': {
      const params = GITHUB_REQUESTS.source.params.parse(request.params);
      await requireSourceTicket(context, request, params);
      return ask(context, request, 'read_source', (grant) =>
        answerSource(context, grant, taskId, params),
      );
    }
    default:
      throw new AppError('bad_input', `no request kind ${String(kind)}`);
  }
}

async function ask(
  context: PublisherContext,
  request: GithubRequestRow,
  act: TokenAct,
  use: (grant: TokenGrant) => Promise<Answered>,
): Promise<Answered> {
  return withToken(context, await tokenRequest(context, request, act), use);
}

async function tokenRequest(
  context: PublisherContext,
  request: GithubRequestRow,
  act: TokenAct,
): Promise<TokenRequest> {
  const { taskId, installationId, repositoryId } = request;
  const known = await findRepository(context.db, repositoryId);
  if (known === null)
    throw new AppError('bad_input', 'a request for a repository that is not known');
  return {
    act,
    taskId,
    installationId,
    repositoryId,
    knownAs: { owner: known.owner, name: known.name },
  };
}

async function settleFailure(
  context: PublisherContext,
  request: GithubRequestRow,
  error: unknown,
): Promise<void> {
  const { db, log, backoff } = context;
  const code = errorCodeOf(error);
  if (code === 'halted') return;
  const detail = error instanceof AppError ? error.detail : {};
  backoff.failed(request.id, Number(detail['retryAfterSeconds'] ?? 0));
  const isAnswer = !isRetryable(error) && code !== 'internal';
  const current = await findGithubRequest(db, request.id);
  if (!isAnswer && (current?.attempts ?? MAX_ATTEMPTS) < MAX_ATTEMPTS) {
    // The queue would come back within seconds and only make the limit worse; the sweep keeps GitHub's date.
    if (code === 'rate_limited') return;
    throw error;
  }
  const why = typeof detail['why'] === 'string' ? detail['why'] : unknownReason(request, code);
  const stored = await storeAnswer(db, request.id, { state: 'unknown', answer: { reason: why } });
  if (stored)
    log.warn(
      { err: error, requestId: request.id, kind: request.kind, reason: why },
      'request answered with unknown',
    );
  backoff.forget(request.id);
}

function unknownReason(request: GithubRequestRow, code: string): string {
  return request.kind === 'source' && code === 'too_large' ? 'source_too_large' : code;
}
