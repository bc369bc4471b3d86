import {
  claimLease,
  holdsLease,
  inLeasedTransaction,
  pickWaitingRun,
  releaseLease,
  renewLease,
  type Lease,
} from '@sallyport/shared/db/lease';
import { inTransaction } from '@sallyport/shared/db/pool';
import { setRunResult, setRunSourceArtifact } from '@sallyport/shared/db/run';
import { endStep, insertStep, listSteps } from '@sallyport/shared/db/step';
import { moveRun } from '@sallyport/shared/db/task';
import { newId } from '@sallyport/shared/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createTestTicketKeys,
  seedAdmittedTask,
  type AdmittedTask,
} from '../../support/deployment/seed-admitted-task.ts';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';

const keys = createTestTicketKeys();
const TREE = 'a'.repeat(40);
let deployment: TestDeployment;
let task: AdmittedTask;

beforeAll(async () => {
  deployment = await createTestDeployment();
});
afterAll(() => deployment.close());
beforeEach(async () => {
  task = await seedAdmittedTask(deployment, {
    signer: keys.signer,
    startSha: 'b'.repeat(40),
    team: {
      v: 1,
      name: 'starter',
      nodes: [{ id: 'developer', agent: { cli: 'scripted' }, prompt: '' }],
    },
  });
});

function launcher(): ReturnType<TestDeployment['pool']> {
  return deployment.pool('worker-launcher');
}

async function claim(seconds = 30): Promise<Lease> {
  const lease = await claimLease(launcher(), task.runId, 'here', seconds);
  if (lease === null) throw new Error('not claimed');
  return lease;
}

/** Takes the lease away as a launcher does that found it run out. */
async function takeOver(): Promise<Lease> {
  await deployment.admin.query('update lease set expires_at = now() where run_id = $1', [
    task.runId,
  ]);
  return claim();
}

function newStep(attempt = 1): Parameters<typeof insertStep>[2] {
  return {
    id: newId(),
    node: 'developer',
    visit: 1,
    attempt,
    readOnly: false,
    enforcedBy: 'not_read_only',
    policyHash: 'c'.repeat(64),
    baseTree: TREE,
  };
}

const END = {
  state: 'finished',
  tree: TREE,
  commit: null,
  packArtifactId: null,
  transcriptArtifactId: null,
  handOff: null,
  exit: { reason: null },
} as const;

describe('a lease', () => {
  test('is given to one of many that claim at once, under a number that grows', async () => {
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, i) => claimLease(launcher(), task.runId, `launcher ${i}`, 30)),
    );
    expect(claims.filter((lease) => lease !== null)).toEqual([{ runId: task.runId, fence: 1 }]);
    expect(await takeOver()).toMatchObject({ fence: 2 });
  });

  test('can be renewed by its holder alone', async () => {
    const old = await claim();
    expect(await renewLease(launcher(), old, 30)).toBe(true);
    const taken = await takeOver();
    expect(await renewLease(launcher(), old, 30)).toBe(false);
    expect(await renewLease(launcher(), taken, 30)).toBe(true);
  });

  test('cannot be renewed when its time is over, nor released by another', async () => {
    const old = await claim();
    await deployment.admin.query('update lease set expires_at = now() where run_id = $1', [
      task.runId,
    ]);
    expect(await renewLease(launcher(), old, 30)).toBe(false);
    const taken = await claim();
    expect(await releaseLease(launcher(), old)).toBe(false);
    expect(await holdsLease(launcher(), taken)).toBe(true);
    expect(await releaseLease(launcher(), taken)).toBe(true);
    expect(await holdsLease(launcher(), taken)).toBe(false);
  });
});

describe('a launcher that lost its lease', () => {
  test('starts no step, while its successor does', async () => {
    const old = await claim();
    const taken = await takeOver();
    expect(await insertStep(launcher(), old, newStep())).toBe(false);
    expect(await insertStep(launcher(), taken, newStep())).toBe(true);
  });

  test('ends no step, and a step is ended once', async () => {
    const old = await claim();
    const step = newStep();
    await insertStep(launcher(), old, step);
    const taken = await takeOver();
    expect(await endStep(launcher(), old, { id: step.id, ...END })).toBe(false);
    expect(await listSteps(launcher(), task.runId)).toMatchObject([{ state: 'started' }]);
    expect(await endStep(launcher(), taken, { id: step.id, ...END })).toBe(true);
    expect(await endStep(launcher(), taken, { id: step.id, ...END })).toBe(false);
  });

  test('moves no run and records no result', async () => {
    const old = await claim();
    const taken = await takeOver();
    const result = { bundleArtifactId: null, headOid: null, treeOid: TREE };
    expect(await moveRun(launcher(), task.runId, 'pending', 'running', { fence: old.fence })).toBe(
      false,
    );
    expect(
      await moveRun(launcher(), task.runId, 'pending', 'running', { fence: taken.fence }),
    ).toBe(true);
    expect(await setRunResult(launcher(), old, result)).toBe(false);
    expect(await setRunSourceArtifact(launcher(), old, newId())).toBe(false);
    expect(await setRunResult(launcher(), taken, result)).toBe(true);
  });

  test('commits nothing, although it lost the lease only while it wrote', async () => {
    const short = await claim(1);
    const attempt = inLeasedTransaction(launcher(), short, async (tx) => {
      expect(await insertStep(tx, short, newStep())).toBe(true);
      await tx.query('select pg_sleep(1.2)');
    });
    await expect(attempt).rejects.toMatchObject({ code: 'conflict' });
    expect(await listSteps(launcher(), task.runId)).toEqual([]);
  });
});

describe('the run that waits longest', () => {
  function pick(): ReturnType<typeof pickWaitingRun> {
    return inTransaction(launcher(), (tx) => pickWaitingRun(tx, task.taskId));
  }

  test('is one without a live lease', async () => {
    expect(await pick()).toMatchObject({ runId: task.runId });
    const lease = await claim();
    expect(await pick()).toBeNull();
    await releaseLease(launcher(), lease);
    expect(await pick()).toMatchObject({ runId: task.runId });
  });

  test('is none of a task that is elsewhere in its life', async () => {
    for (const [state, found] of [
      ['running', true],
      ['cancelled', false],
      ['collected', false],
      ['assessing', false],
    ] as const) {
      await deployment.admin.query('update task set state = $2 where id = $1', [
        task.taskId,
        state,
      ]);
      expect([state, (await pick()) !== null]).toEqual([state, found]);
    }
  });

  test('is the newest of its task', async () => {
    const second = newId();
    await deployment.admin.query('insert into run (id, task_id, number) values ($1, $2, 2)', [
      second,
      task.taskId,
    ]);
    expect(await pick()).toMatchObject({ runId: second });
  });

  test('is passed over while another launcher looks at it', async () => {
    await inTransaction(launcher(), async (tx) => {
      expect(await pickWaitingRun(tx, task.taskId)).not.toBeNull();
      expect(await pick()).toBeNull();
    });
    expect(await pick()).not.toBeNull();
  });
});

describe('the role of a launcher', () => {
  test.each([
    ['move a run past its function', 'update run set state = $2 where id = $1', 'collected'],
    ['move a task past its function', 'update task set state = $2 where id = $1', 'collected'],
    ['write a lease past its functions', 'update lease set holder = $2 where run_id = $1', 'me'],
    ['extend a ticket', `update ticket set revoked_at = null where run_id = $1 and $2 <> ''`, 'x'],
  ])('may not %s', async (_, statement, value) => {
    await claim();
    await expect(launcher().query(statement, [task.runId, value])).rejects.toMatchObject({
      code: '42501',
    });
    const { rowCount } = await launcher().query('update run set tree_oid = $2 where id = $1', [
      task.runId,
      value,
    ]);
    expect(rowCount).toBe(1);
  });
});
