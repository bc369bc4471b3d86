import { migrate } from '@sallyport/shared/db/migrate';
import { dropDeployment, provision } from '@sallyport/shared/db/provision';
import { appendEvent, readTimeline, verifyTimeline } from '@sallyport/shared/db/timeline';
import { liftHalt, readHalt, setHalt } from '@sallyport/shared/db/halt';
import { DEPLOYMENT_SUBJECT } from '@sallyport/shared/timeline/kinds';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';

let deployment: TestDeployment;
beforeAll(async () => {
  deployment = await createTestDeployment();
});
afterAll(() => deployment.close());

it('migrates once when many migrators start at once', async () => {
  const results = await Promise.all(
    Array.from({ length: 8 }, () =>
      migrate({ url: deployment.adminUrl, deployment: deployment.id }),
    ),
  );
  expect(results.flat()).toEqual([]);
  const fresh = `${deployment.id}_b`;
  await provision({ adminUrl: deployment.adminUrl, deployment: fresh });
  const { rows } = await deployment.admin.query(
    `select count(*)::int as n from ${fresh}.schema_migration`,
  );
  expect(rows[0]).toEqual({ n: 4 });
  await dropDeployment(deployment.adminUrl, fresh);
});

it('refuses a schema that is newer than the code, and migrates again when it is not', async () => {
  await deployment.admin.query(
    `insert into schema_migration (version, name, sha256) values (9999, 'future', 'x')`,
  );
  await expect(
    migrate({ url: deployment.adminUrl, deployment: deployment.id }),
  ).rejects.toMatchObject({ code: 'schema_newer' });
  await deployment.admin.query('delete from schema_migration where version = 9999');
  expect(await migrate({ url: deployment.adminUrl, deployment: deployment.id })).toEqual([]);
});

it('chains events, names the writer by its role, and finds an altered and a missing row', async () => {
  const gate = deployment.pool('gate');
  const subject = '11111111-1111-7111-8111-111111111111';
  for (let i = 0; i < 4; i += 1) await appendEvent(gate, subject, 'task_assessed', { i });
  const events = await readTimeline(gate, subject);
  expect(events.map((e) => [e.seq, e.process, e.kind])).toEqual(
    [1, 2, 3, 4].map((n) => [n, 'gate', 'task_assessed']),
  );
  const console_ = deployment.pool('console');
  expect(await verifyTimeline(console_, subject)).toBeNull();

  await deployment.admin.query('alter table timeline disable trigger timeline_append_only');
  await deployment.admin.query(
    `update timeline set data = '{"i": 9}' where subject = $1 and seq = 2`,
    [subject],
  );
  expect(await verifyTimeline(console_, subject)).toEqual({ seq: 2, problem: 'altered' });
  await deployment.admin.query('delete from timeline where subject = $1 and seq = 1', [subject]);
  expect(await verifyTimeline(console_, subject)).toEqual({ seq: 1, problem: 'missing' });
  await deployment.admin.query('alter table timeline enable trigger timeline_append_only');
});

it('lets nobody change or delete an event, not even the owner', async () => {
  await appendEvent(
    deployment.pool('gate'),
    '22222222-2222-7222-8222-222222222222',
    'task_assessed',
    {},
  );
  for (const act of [
    "update timeline set kind = 'x'",
    'delete from timeline',
    'truncate timeline',
  ]) {
    await expect(deployment.admin.query(act)).rejects.toThrow('append-only');
  }
});

it('keeps a stop when a drain is set over it, and lifts both', async () => {
  const operator = deployment.pool('operator');
  const first = await setHalt(operator, 'all', 'stop', 'test', 'someone');
  const second = await setHalt(operator, 'all', 'drain', 'softer', 'someone else');
  expect(second).toBeGreaterThan(first);
  expect((await readHalt(operator)).halts).toMatchObject([
    { scope: 'all', level: 'stop', reason: 'softer' },
  ]);
  expect(await liftHalt(operator, 'all', 'someone')).toBe(true);
  expect(await liftHalt(operator, 'all', 'someone')).toBe(false);
  expect((await readHalt(operator)).halts).toEqual([]);
  const kinds = (await readTimeline(operator, DEPLOYMENT_SUBJECT)).map((e) => e.kind);
  expect(kinds).toEqual(['halt_set', 'halt_set', 'halt_lifted']);
});

it('gives each process its own role, which may not log in with another password', async () => {
  const wrong = new URL(deployment.urls.gate);
  wrong.password = 'wrong';
  const client = new pg.Client({ connectionString: wrong.toString() });
  await expect(client.connect()).rejects.toThrow(/password|authentication/);
  expect(inject('adminDatabaseUrl')).toBe(deployment.adminUrl);
});
