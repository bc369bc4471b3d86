/** What a launcher writes into the run that it works on, under its lease: where the start came from, what came out. */
import type { RunState, TaskState } from '../task/states.ts';
import type { Lease } from './lease.ts';
import type { Queryable } from './pool.ts';

/** Records the question for the source. False: the lease is lost. */
export async function setRunSourceRequest(
  db: Queryable,
  lease: Lease,
  requestId: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'update run set source_request_id = $3 where id = $1 and lease_held($1, $2)',
    [lease.runId, lease.fence, requestId],
  );
  return rowCount === 1;
}

/** Records the pack that the run started from. False: the lease is lost. */
export async function setRunSourceArtifact(
  db: Queryable,
  lease: Lease,
  artifactId: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'update run set source_artifact_id = $3 where id = $1 and lease_held($1, $2)',
    [lease.runId, lease.fence, artifactId],
  );
  return rowCount === 1;
}

/** Records what the run ends with; a null bundle means that nothing was changed. False: the lease is lost. */
export async function setRunResult(
  db: Queryable,
  lease: Lease,
  result: { bundleArtifactId: string | null; headOid: string | null; treeOid: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update run set bundle_artifact_id = $3, head_oid = $4, tree_oid = $5
     where id = $1 and state = 'running' and lease_held($1, $2)`,
    [lease.runId, lease.fence, result.bundleArtifactId, result.headOid, result.treeOid],
  );
  return rowCount === 1;
}

/** The states of these runs and of their tasks: how a launcher learns that one was cancelled under its hands. */
export async function listRunStates(
  db: Queryable,
  runIds: readonly string[],
): Promise<{ runId: string; runState: RunState; taskState: TaskState }[]> {
  const { rows } = await db.query<{ runId: string; runState: RunState; taskState: TaskState }>(
    `select r.id as "runId", r.state as "runState", t.state as "taskState"
     from run r join task t on t.id = r.task_id where r.id = any($1::uuid[])`,
    [runIds],
  );
  return rows;
}

/** Makes a run of a task; it is pending until a launcher starts it. */
export async function insertRun(
  db: Queryable,
  run: { id: string; taskId: string; number: number },
): Promise<void> {
  await db.query('insert into run (id, task_id, number) values ($1, $2, $3)', [
    run.id,
    run.taskId,
    run.number,
  ]);
}
