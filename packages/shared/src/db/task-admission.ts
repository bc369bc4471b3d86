/** What the gate alone writes into tasks: making them, their branch, why they wait, and messages about them that got lost. */
import type { Act } from '../task/acts.ts';
import type { Queryable } from './pool.ts';

export interface NewTask {
  id: string;
  deliveryId: string;
  /** Names the event that asked, whatever delivery it came in. */
  sourceKey: string;
  installationId: number;
  repositoryId: number;
  subjectKind: 'issue' | 'pull_request';
  subjectNumber: number;
  verb: string;
  act: Act;
  team: string;
  requesterId: number;
  requesterLogin: string;
  commentId: number;
}

/** Makes a task. False: the event that asks for it has one already. */
export async function insertTask(db: Queryable, task: NewTask): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into task (id, delivery_id, source_key, installation_id, repository_id, subject_kind, subject_number, verb,
       act, team, requester_id, requester_login, comment_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict (source_key) do nothing`,
    [
      task.id,
      task.deliveryId,
      task.sourceKey,
      task.installationId,
      task.repositoryId,
      task.subjectKind,
      task.subjectNumber,
      task.verb,
      task.act,
      task.team,
      task.requesterId,
      task.requesterLogin,
      task.commentId,
    ],
  );
  return rowCount === 1;
}

/** Chooses the branch of a task, once. */
export async function setTaskBranch(db: Queryable, id: string, branch: string): Promise<void> {
  await db.query('update task set branch = $2 where id = $1 and branch is null', [id, branch]);
}

/** Says why a task that is not decided yet does not go on. */
export async function noteWaiting(db: Queryable, id: string, reason: string): Promise<void> {
  await db.query(
    `update task set state_reason = $2
     where id = $1 and state in ('received', 'assessing') and state_reason is distinct from $2`,
    [id, reason],
  );
}

/**
 * Sends a job for each task that was admitted, is claimed by nobody, and of which no message was written within the last
 * `againSeconds`: its job may have been lost with Redis. How many there were.
 */
export async function enqueueUnclaimedWork(
  db: Queryable,
  againSeconds: number,
  limit = 100,
): Promise<number> {
  const { rowCount } = await db.query(
    `insert into outbox (queue, data)
     select 'work', jsonb_build_object('v', 1, 'taskId', t.id)
     from task t
     where t.state = 'admitted' and t.moved_at <= now() - $1 * interval '1 second'
       and not exists (
         select 1 from run r join lease l on l.run_id = r.id
         where r.task_id = t.id and l.expires_at > now()
       )
       and not exists (
         select 1 from outbox o
         where o.queue = 'work' and o.data ->> 'taskId' = t.id::text
           and (o.sent_at is null or o.created_at > now() - $1 * interval '1 second')
       )
     order by t.moved_at limit $2`,
    [againSeconds, limit],
  );
  return rowCount ?? 0;
}
