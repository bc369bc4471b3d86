/** What the tests of the privileges act upon: two tasks of two repositories, each with a run, a ticket and its artifacts. */
import { createHash } from 'node:crypto';
import { storeArtifact } from '@sallyport/shared/artifacts/store';
import { newId } from '@sallyport/shared/ids';
import type { Process } from '@sallyport/shared/processes';
import pg from 'pg';
import {
  createTestTicketKeys,
  seedAdmittedTask,
  type AdmittedTask,
} from '../../support/deployment/seed-admitted-task.ts';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';

export interface GrantsWorld {
  deployment: TestDeployment;
  /** Its run is leased under fence 1. */
  one: AdmittedTask;
  other: AdmittedTask;
  /** A finished bundle of the first task, and one of the other. */
  bundle: string;
  otherBundle: string;
  /** A bundle of the first task that its writer left unfinished. */
  unfinished: string;
  /** A started step of the first task's run. */
  step: string;
  /** A question that the gate has asked for the first task. */
  question: string;
  /** An instance of each process that has reported itself. */
  instances: ReadonlyMap<Process, string>;
}

/** `done`: it had an effect or an answer. `nothing`: no row was within reach. Else the code of the refusal. */
export type Outcome = 'done' | 'nothing' | (string & {});

const TEAM = {
  v: 1,
  name: 'starter',
  nodes: [{ id: 'developer', agent: { cli: 'scripted' }, prompt: '' }],
} as const;

export async function createGrantsWorld(): Promise<GrantsWorld> {
  const deployment = await createTestDeployment();
  const { signer } = createTestTicketKeys();
  const common = { signer, startSha: 'b'.repeat(40), team: { ...TEAM, nodes: [...TEAM.nodes] } };
  const one = await seedAdmittedTask(deployment, { ...common, repositoryId: 22 });
  const other = await seedAdmittedTask(deployment, { ...common, repositoryId: 23 });
  const launcher = deployment.pool('worker-launcher');
  const bytes = [Buffer.from('a bundle')];
  const bundle = await storeArtifact(launcher, { kind: 'bundle', taskId: one.taskId, bytes });
  const otherBundle = await storeArtifact(launcher, {
    kind: 'bundle',
    taskId: other.taskId,
    bytes,
  });
  const unfinished = newId();
  await launcher.query(`insert into artifact (id, kind, task_id) values ($1, 'bundle', $2)`, [
    unfinished,
    one.taskId,
  ]);
  await launcher.query(`select lease_claim($1, 'here', 600)`, [one.runId]);
  const step = newId();
  await launcher.query(
    `insert into step (id, run_id, fence, node, visit, attempt, read_only, enforced_by, base_tree)
     values ($1, $2, 1, 'developer', 1, 1, false, 'not_read_only', 'x')`,
    [step, one.runId],
  );
  const question = newId();
  await deployment.pool('gate').query(
    `insert into github_request (id, kind, task_id, installation_id, repository_id, params, ask_key)
     values ($1, 'permission', $2, 11, 22, '{"login": "dev"}', 'seed')`,
    [question, one.taskId],
  );
  const instances = new Map<Process, string>();
  for (const process of ['intake', 'gate', 'publisher'] as const) {
    const instance = newId();
    instances.set(process, instance);
    await deployment
      .pool(process)
      .query('insert into presence (instance, host) values ($1, $2)', [instance, 'here']);
  }
  return {
    deployment,
    one,
    other,
    bundle: bundle.id,
    otherBundle: otherBundle.id,
    unfinished,
    step,
    question,
    instances,
  };
}

/** Runs the statement with the rights of the process and takes its effect back. */
export async function attempt(
  { deployment }: GrantsWorld,
  process: Process,
  statement: string,
): Promise<Outcome> {
  const client = await deployment.pool(process).connect();
  try {
    await client.query('begin');
    const { rowCount } = await client.query(statement);
    return rowCount === 0 ? 'nothing' : 'done';
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code !== undefined) return error.code;
    throw error;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** An insert of a new delivery, as intake makes them. */
export function insertDelivery(): string {
  const sha256 = createHash('sha256').update('{}').digest('hex');
  return `insert into delivery (id, target_type, target_id, guid, event, content_type, headers, body, body_sha256)
    values ('${newId()}', 'integration', '1', '${newId()}', 'push', 'json', '{}', '{}', '${sha256}')`;
}
