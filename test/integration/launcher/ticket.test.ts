import { generateKeyPairSync } from 'node:crypto';
import { liftHalt, setHalt } from '@sallyport/shared/db/halt';
import { createTicketSigner } from '@sallyport/shared/ticket/sign';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createLauncherFixture,
  type LauncherFixture,
  type ScriptedTask,
  type SeedOptions,
} from './launcher-fixture.ts';

let fixture: LauncherFixture;
beforeAll(async () => {
  fixture = await createLauncherFixture();
  await fixture.launch();
});
afterAll(() => fixture.close());

const WORK = [
  { do: 'write', path: 'made.txt', content: 'made\n' },
  { do: 'handOff', outcome: 'done' },
] as const;

interface Attack {
  name: string;
  why: string;
  options?: SeedOptions;
  /** What is done after the ticket was signed; $1 is the task's id, or what `of` says. */
  after?: string;
  of?: (task: ScriptedTask) => string;
}

const ATTACKS: readonly Attack[] = [
  { name: 'no ticket', why: 'missing', options: { ticket: false } },
  {
    name: 'an expired ticket',
    why: 'expired',
    options: { claims: (c) => ({ ...c, iat: 1, exp: 2 }) },
  },
  {
    name: 'a ticket for another audience',
    why: 'claims',
    options: { claims: (c) => ({ ...c, aud: ['publisher'] }) },
  },
  {
    name: 'a ticket for another run',
    why: 'other_run',
    options: { claims: (c) => ({ ...c, run_id: c.task_id }) },
  },
  {
    name: 'a ticket for another branch',
    why: 'other_task',
    options: { claims: (c) => ({ ...c, branch: 'agent/other' }) },
  },
  {
    name: 'a ticket for another repository',
    why: 'other_task',
    options: { claims: (c) => ({ ...c, repository: { ...c.repository, id: 99 } }) },
  },
  {
    name: 'a ticket for another issue',
    why: 'other_task',
    options: { claims: (c) => ({ ...c, subject: { kind: 'issue', number: 4711 } }) },
  },
  {
    name: 'a revoked ticket',
    why: 'revoked',
    after: 'update ticket set revoked_at = now() where task_id = $1',
  },
  {
    name: 'a ticket of which one character was altered',
    why: 'signature',
    after: `update ticket set token = overlay(token placing case substr(token, length(token) - 20, 1) when 'A' then 'B' else 'A' end
      from length(token) - 20) where task_id = $1`,
  },
  {
    name: 'a snapshot that was changed after signing',
    why: 'snapshot_changed',
    after: `update snapshot set content = convert_to(replace(convert_from(content, 'UTF8'), 'mend', 'sell'), 'UTF8') where task_id = $1`,
  },
  {
    name: 'a snapshot that was changed together with the hash beside it',
    why: 'snapshot_changed',
    after: `update snapshot set content = '{}'::bytea, sha256 = encode(sha256('{}'::bytea), 'hex') where task_id = $1`,
  },
  {
    name: 'a team that was changed after signing',
    why: 'team_changed',
    after: `update team_version set content = jsonb_set(content, '{nodes,0,prompt}', '"Do evil."') where hash = $1`,
    of: (task) => task.claims.team.hash,
  },
];

async function seedUnderHalt({
  options,
  after,
  of = (task) => task.taskId,
}: Omit<Attack, 'name' | 'why'>): Promise<ScriptedTask> {
  const { admin } = fixture.deployment;
  // While it is halted nothing is claimed, so that the alteration is there before anybody looks.
  const operator = fixture.deployment.pool('operator');
  await setHalt(operator, 'all', 'drain', 'a test', 'tester');
  const task = await fixture.seed(WORK, options);
  const altered = after === undefined ? 1 : (await admin.query(after, [of(task)])).rowCount;
  expect(altered).toBe(1);
  await liftHalt(operator, 'all', 'tester');
  return task;
}

test.each(ATTACKS)('$name runs nothing, with $why as its reason', async ({ why, ...attack }) => {
  const task = await seedUnderHalt(attack);
  expect(await fixture.until(task.taskId, 'refused')).toMatchObject({
    stateReason: `ticket_${why}`,
  });
  const { run, steps, kinds, events, queued } = await fixture.look(task);
  expect(kinds).toEqual(['ticket_refused', 'task_ended']);
  expect(events[0]?.data).toMatchObject({ why, runId: task.runId });
  expect(run).toMatchObject({ state: 'failed', sourceRequestId: null });
  expect([steps, queued]).toEqual([[], []]);
});

test('a ticket of a key that this launcher does not know runs nothing', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const foreign = createTicketSigner(
    privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
  const task = await fixture.seed(WORK, { signer: foreign });
  expect(await fixture.until(task.taskId, 'refused')).toMatchObject({
    stateReason: 'ticket_unknown_key',
  });
});

test('the twin: the same task with its ticket as it was signed runs', async () => {
  const task = await seedUnderHalt({ options: { claims: (claims) => claims } });
  expect(await fixture.until(task.taskId, 'collected')).toMatchObject({ stateReason: null });
});

test('a ticket that is revoked while its run waits is found before the agent starts', async () => {
  fixture.answering.on = false;
  const task = await fixture.seed(WORK);
  await fixture.eventually(
    'the source is asked for',
    async () => (await fixture.look(task)).run.sourceRequestId !== null,
  );
  await fixture.deployment.admin.query('update ticket set revoked_at = now() where task_id = $1', [
    task.taskId,
  ]);
  fixture.answering.on = true;
  expect(await fixture.until(task.taskId, 'refused')).toMatchObject({
    stateReason: 'ticket_revoked',
  });
  const { kinds, steps } = await fixture.look(task);
  expect(kinds).toEqual(['run_started', 'ticket_refused', 'task_ended']);
  expect(steps).toEqual([]);
});
