import { PROCESSES, type Process } from '@sallyport/shared/processes';
import {
  RUN_STATES,
  RUN_TRANSITIONS,
  TASK_STATES,
  TASK_TRANSITIONS,
} from '@sallyport/shared/task/states';
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

const NOBODY = '00000000-0000-7000-8000-000000000000';

/** Asks the database, as each process, for every pair of states; refused pairs raise 42501, allowed ones find no such row. */
async function allowedArrows(
  fn: 'task_move' | 'run_move',
  states: readonly string[],
): Promise<string[]> {
  const allowed: string[] = [];
  const refusals = new Set<string | undefined>();
  for (const process of PROCESSES) {
    const client = await deployment.pool(process).connect();
    try {
      for (const from of states) {
        for (const to of states) {
          const refusal = await client.query(`select ${fn}($1, $2, $3)`, [NOBODY, from, to]).then(
            () => null,
            (error: { code?: string }) => error.code,
          );
          if (refusal === null) allowed.push(`${process}: ${from} -> ${to}`);
          else refusals.add(refusal);
        }
      }
    } finally {
      client.release();
    }
  }
  expect([...refusals]).toEqual(['42501']);
  return allowed.toSorted();
}

function written(transitions: readonly { from: string; to: string; by: Process }[]): string[] {
  return transitions.map((t) => `${t.by}: ${t.from} -> ${t.to}`).toSorted();
}

it('moves a task along the arrows of the code, by their own process, and along no other', async () => {
  expect(await allowedArrows('task_move', TASK_STATES)).toEqual(written(TASK_TRANSITIONS));
});

it('moves a run along the arrows of the code, by their own process, and along no other', async () => {
  expect(await allowedArrows('run_move', RUN_STATES)).toEqual(written(RUN_TRANSITIONS));
});

it('has the states of the code in the constraints of the tables', async () => {
  const { rows } = await deployment.admin.query<{ def: string; table: string }>(
    `select conrelid::regclass::text as table, pg_get_constraintdef(oid) as def from pg_constraint
     where conname in ('task_state_check', 'run_state_check')
       and connamespace = current_schema()::regnamespace order by 1`,
  );
  for (const { table, def } of rows) {
    const inSql = [...def.matchAll(/'([a-z_]+)'/g)].map((m) => String(m[1])).toSorted();
    expect(inSql).toEqual([...(table.endsWith('task') ? TASK_STATES : RUN_STATES)].toSorted());
  }
  expect(rows).toHaveLength(2);
});

it('lets no process write a state by itself', async () => {
  for (const process of PROCESSES) {
    for (const table of ['task', 'run']) {
      await expect(
        deployment.pool(process).query(`update ${table} set state = 'published'`),
      ).rejects.toMatchObject({ code: '42501' });
    }
  }
});
