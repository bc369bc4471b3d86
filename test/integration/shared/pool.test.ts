import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction } from '@sallyport/shared/db/pool';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';

let deployment: TestDeployment;
beforeAll(async () => {
  deployment = await createTestDeployment();
});
afterAll(() => deployment.close());

async function backendOf(tx: { query: TestDeployment['admin']['query'] }): Promise<number> {
  const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

// An event that nobody hears would end this process: the runner reports it as an unhandled error and fails.
it('survives the loss of its connection between two statements, and goes on with another', async () => {
  const gate = deployment.pool('gate');
  const lost = inTransaction(gate, async (tx) => {
    const pid = await backendOf(tx as never);
    await deployment.admin.query('select pg_terminate_backend($1)', [pid]);
    await sleep(200);
    await tx.query('select 1');
  });
  await expect(lost).rejects.toThrow(/terminat|connection/i);
  expect(await inTransaction(gate, (tx) => backendOf(tx as never))).toBeGreaterThan(0);
});

it('commits what was done in a transaction whose connection lives', async () => {
  const gate = deployment.pool('gate');
  await inTransaction(gate, (tx) =>
    tx.query("insert into installation (id, account) values (901, 'kept')"),
  );
  const { rows } = await gate.query('select account from installation where id = 901');
  expect(rows).toEqual([{ account: 'kept' }]);
});
