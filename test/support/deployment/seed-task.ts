/** Rows that a task needs below it, put there with all rights, for tests that begin in the middle of the line. */
import { createHash } from 'node:crypto';
import { newId } from '@sallyport/shared/ids';
import type { TaskState } from '@sallyport/shared/task/states';
import type { TestDeployment } from './test-deployment.ts';

export interface SeededTask {
  taskId: string;
  deliveryId: string;
  installationId: number;
  repositoryId: number;
}

export interface SeedTaskOptions {
  taskId?: string;
  state?: TaskState;
  repositoryId?: number;
  installationId?: number;
  owner?: string;
  name?: string;
  issue?: number;
  requesterId?: number;
  requesterLogin?: string;
  commentId?: number;
  branch?: string;
  team?: string;
}

/** Inserts installation, repository, delivery and task. */
export async function seedTask(
  deployment: TestDeployment,
  options: SeedTaskOptions = {},
): Promise<SeededTask> {
  const { admin } = deployment;
  const taskId = options.taskId ?? newId();
  const deliveryId = newId();
  const installationId = options.installationId ?? 11;
  const repositoryId = options.repositoryId ?? 22;
  const body = Buffer.from('{}');
  await admin.query(
    'insert into installation (id, account) values ($1, $2) on conflict do nothing',
    [installationId, options.owner ?? 'octo'],
  );
  await admin.query(
    'insert into repository (id, installation_id, owner, name) values ($1, $2, $3, $4) on conflict do nothing',
    [repositoryId, installationId, options.owner ?? 'octo', options.name ?? 'repo'],
  );
  await admin.query(
    `insert into delivery (id, target_type, target_id, guid, event, content_type, headers, body, body_sha256, state)
     values ($1, 'integration', '1', $2, 'issue_comment', 'json', '{}', $3, $4, 'handled')`,
    [deliveryId, newId(), body, createHash('sha256').update(body).digest('hex')],
  );
  await admin.query(
    `insert into task (id, delivery_id, source_key, installation_id, repository_id, subject_kind, subject_number, verb, act,
       team, requester_id, requester_login, comment_id, branch, state)
     values ($1, $2, $3, $4, $5, 'issue', $6, 'fix', 'pull_request', $7, $8, $9, $10, $11, $12)`,
    [
      taskId,
      deliveryId,
      `seed:${taskId}`,
      installationId,
      repositoryId,
      options.issue ?? 1,
      options.team ?? 'starter',
      options.requesterId ?? 33,
      options.requesterLogin ?? 'dev',
      options.commentId ?? 44,
      options.branch ?? null,
      options.state ?? 'received',
    ],
  );
  return { taskId, deliveryId, installationId, repositoryId };
}
