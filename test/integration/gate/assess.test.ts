/** From tasks to tickets and refusals: each refusal beside its admitted twin, and every step safe to take twice at once. */
import { createHash } from 'node:crypto';
import { liftHalt, setHalt } from '@sallyport/shared/db/halt';
import { readTimeline, verifyTimeline } from '@sallyport/shared/db/timeline';
import { findTicketOfRun } from '@sallyport/shared/db/ticket';
import { decodeSnapshot, hashText } from '@sallyport/shared/task/snapshot';
import { requireTicket } from '@sallyport/shared/ticket/standing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { advanceTask } from '../../../services/gate/src/assess/advance-task.ts';
import { handleDelivery } from '../../../services/gate/src/delivery/handle-delivery.ts';
import { sweep } from '../../../services/gate/src/sweep.ts';
import {
  commentPayload,
  createGateFixture,
  HEAD_SHA,
  type Answers,
  type CommentPayload,
  type GateFixture,
} from './gate-fixture.ts';

let fixture: GateFixture;
beforeAll(async () => {
  fixture = await createGateFixture();
});
afterAll(() => fixture.close());
afterEach(() => {
  fixture.clock.offsetMs = 0;
});

async function makeTask(
  body = '/agent fix this',
  change?: (p: CommentPayload) => void,
): Promise<string> {
  const taskId = await handleDelivery(
    fixture.gate,
    await fixture.deliver(commentPayload(body, change)),
  );
  if (taskId === null) throw new Error('no task was made');
  await advanceTask(fixture.gate, taskId);
  return taskId;
}

async function assessed(
  answers: Answers = {},
  body?: string,
  change?: (p: CommentPayload) => void,
): Promise<string> {
  const taskId = await makeTask(body, change);
  await fixture.answer(taskId, answers);
  await advanceTask(fixture.gate, taskId);
  return taskId;
}

function stateOf(taskId: string): Promise<{ state: string; reason: string | null }> {
  return fixture.row('select state, state_reason as reason from task where id = $1', [taskId]);
}

async function commentOf(taskId: string): Promise<string> {
  const { params } = await fixture.row<{
    params: { number: number; template: string; values: Record<string, string> };
  }>(`select params from github_request where task_id = $1 and kind = 'comment'`, [taskId]);
  expect(params).toMatchObject({ number: 1, template: 'refused', values: { login: 'Codertocat' } });
  return params.values['reason'] ?? '';
}

describe('an admitted task', () => {
  it('asks three questions, once, before anything is decided', async () => {
    const taskId = await makeTask();
    await Promise.all(Array.from({ length: 4 }, () => advanceTask(fixture.gate, taskId)));
    expect((await stateOf(taskId)).state).toBe('assessing');
    const asked = await fixture.rows(
      'select kind, params, state from github_request where task_id = $1 order by kind',
      [taskId],
    );
    expect(asked).toEqual([
      { kind: 'head', params: { ref: null }, state: 'asked' },
      { kind: 'permission', params: { login: 'Codertocat' }, state: 'asked' },
      { kind: 'subject', params: { number: 1 }, state: 'asked' },
    ]);
    await fixture.answer(taskId, { head: 'open' });
    await advanceTask(fixture.gate, taskId);
    expect((await stateOf(taskId)).state).toBe('assessing');
  });

  it('has a ticket that stands, for the snapshot that is stored', async () => {
    const text = 'Hello\r\n/agent fix this \u0000\ud800\r\nplease';
    const taskId = await assessed({}, text, (p) => (p.issue.body = 'as it was\u0000'));
    expect(await stateOf(taskId)).toEqual({ state: 'admitted', reason: null });
    const run = await fixture.row<{ id: string; number: number; state: string }>(
      'select id, number, state from run where task_id = $1',
      [taskId],
    );
    expect(run).toMatchObject({ number: 1, state: 'pending' });
    const claims = await requireTicket(
      fixture.deployment.pool('worker-launcher'),
      { id: run.id, taskId },
      fixture.keys,
      'worker-launcher',
    );
    await requireTicket(
      fixture.deployment.pool('publisher'),
      { id: run.id, taskId },
      fixture.keys,
      'publisher',
    );

    const stored = await fixture.row<{ content: Buffer; sha256: string }>(
      'select content, sha256 from snapshot where task_id = $1',
      [taskId],
    );
    expect(createHash('sha256').update(stored.content).digest('hex')).toBe(stored.sha256);
    expect(claims.snapshot_sha256).toBe(stored.sha256);
    const snapshot = decodeSnapshot(stored.content);
    expect(snapshot.trigger).toMatchObject({
      text,
      textSha256: hashText(text),
      authorLogin: 'Codertocat',
    });
    expect(snapshot.subject).toMatchObject({
      body: 'as it was\u0000',
      authorId: 7,
      updatedAt: '2026-01-02T03:04:05Z',
    });
    expect(snapshot.base).toEqual({ ref: 'main', sha: HEAD_SHA });

    const task = await fixture.row<{ branch: string }>('select branch from task where id = $1', [
      taskId,
    ]);
    expect(claims).toMatchObject({
      task_id: taskId,
      run_id: run.id,
      act: 'pull_request',
      branch: task.branch,
      read_only: false,
      subject: { kind: 'issue', number: 1 },
      requester: { login: 'Codertocat', role: 'write' },
      start: { sha: HEAD_SHA, ref: 'main' },
      comment_id: snapshot.trigger.id,
    });
    expect(
      await fixture.rows('select 1 as n from team_version where hash = $1', [claims.team.hash]),
    ).toHaveLength(1);
    expect(
      await fixture.rows('select 1 as n from policy_version where hash = $1', [claims.policy_hash]),
    ).toHaveLength(1);
    expect(
      await fixture.rows(
        `select data from outbox where queue = 'work' and data ->> 'taskId' = $1`,
        [taskId],
      ),
    ).toEqual([{ data: { v: 1, taskId } }]);
    const ticket = await findTicketOfRun(fixture.gate.db, run.id);
    const events = await readTimeline(fixture.gate.db, taskId);
    expect(events.map((e) => e.kind)).toEqual([
      'delivery_stored',
      'task_assessed',
      'ticket_issued',
    ]);
    expect(events[2]?.data).toMatchObject({
      jti: claims.jti,
      runId: run.id,
      kid: fixture.gate.signer.kid,
    });
    expect(JSON.stringify(events)).not.toContain(ticket?.token);
    expect(await verifyTimeline(fixture.deployment.pool('console'), taskId)).toBeNull();
    expect(
      await fixture.row('select decision from assessment where task_id = $1', [taskId]),
    ).toEqual({ decision: 'admit' });
  });

  it('is admitted whatever characters the answers carry', async () => {
    const taskId = await assessed({
      subject: { title: '\u0000', body: 'a\ud800b', state: 'open' },
    });
    expect((await stateOf(taskId)).state).toBe('admitted');
  });

  it('is admitted once when it is advanced many times at once', async () => {
    const taskId = await makeTask();
    await fixture.answer(taskId);
    await Promise.all(Array.from({ length: 6 }, () => advanceTask(fixture.gate, taskId)));
    const counts = await fixture.row(
      `select (select count(*)::int from ticket where task_id = $1) as tickets, (select count(*)::int from run where task_id = $1) as runs,
         (select count(*)::int from assessment where task_id = $1) as assessments,
         (select count(*)::int from outbox where queue = 'work' and data ->> 'taskId' = $2) as messages`,
      [taskId, taskId],
    );
    expect(counts).toEqual({ tickets: 1, runs: 1, assessments: 1, messages: 1 });
  });
});

describe('a refused task', () => {
  it.each<[string, Answers, string, RegExp]>([
    [
      'may only read',
      { permission: { permission: 'read', role: 'read' } },
      'requester_role',
      /has read/,
    ],
    [
      'is another account by that name',
      { permission: { userId: 99, role: 'admin' } },
      'requester_known',
      /not the one/,
    ],
    [
      'is unknown to GitHub',
      { permission: { found: false, userId: null } },
      'requester_known',
      /no role/,
    ],
    ['could not be looked up', { permission: 'unknown' }, 'requester_role', /could not be read/],
    [
      'got an answer of another shape',
      { permission: { userId: 'many' } },
      'requester_role',
      /could not be read/,
    ],
  ])('has a requester who %s', async (_what, answers, rule, message) => {
    const taskId = await assessed(answers);
    expect(await stateOf(taskId)).toEqual({ state: 'refused', reason: rule });
    expect(await commentOf(taskId)).toMatch(message);
    expect(await fixture.rows('select 1 as n from ticket where task_id = $1', [taskId])).toEqual(
      [],
    );
    const events = await readTimeline(fixture.gate.db, taskId);
    expect(events.map((e) => e.kind)).toEqual(['delivery_stored', 'task_assessed', 'task_ended']);
    expect(events[1]?.data).toMatchObject({ decision: 'refuse' });
  });

  it.each<[string, Answers, string]>([
    ['a closed issue', { subject: { state: 'closed' } }, 'subject_open'],
    ['an issue that is gone', { subject: { found: false } }, 'subject_open'],
    ['an issue that could not be read', { subject: 'unknown' }, 'subject_open'],
    ['no commit to start from', { head: { found: false, sha: null } }, 'base_known'],
    ['a base that could not be read', { head: 'unknown' }, 'base_known'],
    [
      'nothing known at all',
      { head: 'unknown', subject: 'unknown', permission: 'unknown' },
      'requester_role',
    ],
  ])('has %s', async (_what, answers, rule) => {
    expect(await stateOf(await assessed(answers))).toEqual({ state: 'refused', reason: rule });
  });

  it.each(['maintain', 'admin'])('is admitted instead for the role %s', async (role) => {
    expect((await stateOf(await assessed({ permission: { role } }))).state).toBe('admitted');
  });

  it('is refused without a question when nothing could make it run, and says what is understood', async () => {
    for (const [body, rule] of [
      ['/agent review', 'verb_understood'],
      ['/agent fix --team none', 'team_known'],
    ] as const) {
      const taskId = await makeTask(body);
      expect(await stateOf(taskId)).toEqual({ state: 'refused', reason: rule });
      expect(await commentOf(taskId)).toMatch(/write "\/agent fix"|there is "starter"/);
      expect(
        await fixture.rows(
          `select 1 as n from github_request where task_id = $1 and kind <> 'comment'`,
          [taskId],
        ),
      ).toEqual([]);
    }
    const onPull = await makeTask('/agent fix', (p) => (p.issue['pull_request'] = { url: 'x' }));
    expect(await stateOf(onPull)).toEqual({ state: 'refused', reason: 'subject_is_issue' });
  });

  it('is told once when it is advanced many times at once', async () => {
    const taskId = await makeTask();
    await fixture.answer(taskId, { permission: { role: 'read' } });
    await Promise.all(Array.from({ length: 6 }, () => advanceTask(fixture.gate, taskId)));
    await commentOf(taskId);
    expect(
      await fixture.rows('select 1 as n from assessment where task_id = $1', [taskId]),
    ).toHaveLength(1);
  });
});

describe('a halt', () => {
  const ALL_NOW = { deliverySeconds: 0, taskSeconds: 0, workSeconds: 3600 };

  it('keeps tasks where they are, says so, and lets them go on after the release', async () => {
    const operator = fixture.deployment.pool('operator');
    const good = await makeTask();
    const bad = await makeTask();
    await fixture.answer(good);
    await fixture.answer(bad, { permission: { role: 'read' } });
    await setHalt(operator, 'all', 'drain', 'testing', 'someone');
    try {
      const received = await makeTask('/agent review');
      await sweep(fixture.gate, ALL_NOW);
      expect(await stateOf(good)).toEqual({ state: 'assessing', reason: 'halted' });
      expect(await stateOf(bad)).toEqual({ state: 'assessing', reason: 'halted' });
      expect(await stateOf(received)).toEqual({ state: 'received', reason: 'halted' });
    } finally {
      await liftHalt(operator, 'all', 'someone');
    }
    await sweep(fixture.gate, ALL_NOW);
    expect(await stateOf(good)).toEqual({ state: 'admitted', reason: null });
    expect(await stateOf(bad)).toEqual({ state: 'refused', reason: 'requester_role' });
  });

  it('of one repository leaves the others alone', async () => {
    const operator = fixture.deployment.pool('operator');
    const here = await makeTask('/agent fix', (p) => (p.repository.id = 555));
    const there = await makeTask();
    await fixture.answer(here);
    await fixture.answer(there);
    await setHalt(operator, 'repo:555', 'stop', 'testing', 'someone');
    await sweep(fixture.gate, ALL_NOW);
    expect((await stateOf(here)).state).toBe('assessing');
    expect((await stateOf(there)).state).toBe('admitted');
    await liftHalt(operator, 'repo:555', 'someone');
    await advanceTask(fixture.gate, here);
    expect((await stateOf(here)).state).toBe('admitted');
  });

  it('stops the clock of a task that waits for answers', async () => {
    const operator = fixture.deployment.pool('operator');
    const taskId = await makeTask();
    await fixture.deployment.admin.query(
      `update task set moved_at = now() - interval '1 hour' where id = $1`,
      [taskId],
    );
    await setHalt(operator, 'all', 'drain', 'testing', 'someone');
    await advanceTask(fixture.gate, taskId);
    expect((await stateOf(taskId)).state).toBe('assessing');
    await liftHalt(operator, 'all', 'someone');
    await advanceTask(fixture.gate, taskId);
    expect((await stateOf(taskId)).state).toBe('assessing');
    fixture.clock.offsetMs = 601_000;
    await advanceTask(fixture.gate, taskId);
    expect(await stateOf(taskId)).toEqual({ state: 'expired', reason: 'assessment_timeout' });
    expect(await commentOf(taskId)).toMatch(/ask again/);
  });
});

describe('the sweep', () => {
  it('takes a task through without a job and without a nudge', async () => {
    const ages = { deliverySeconds: 0, taskSeconds: 0, workSeconds: 3600 };
    const deliveryId = await fixture.deliver(commentPayload('/agent fix this'));
    await sweep(fixture.gate, ages);
    const { id } = await fixture.row<{ id: string }>('select id from task where delivery_id = $1', [
      deliveryId,
    ]);
    await fixture.answer(id);
    await sweep(fixture.gate, ages);
    expect((await stateOf(id)).state).toBe('admitted');
  });

  it('sends the job of an admitted task again when it was lost, and no more than one at a time', async () => {
    const taskId = await assessed();
    const messages = (): Promise<object[]> =>
      fixture.rows(`select id from outbox where queue = 'work' and data ->> 'taskId' = $1`, [
        taskId,
      ]);
    await fixture.deployment.admin.query('delete from outbox');
    await fixture.deployment.admin.query(
      `update task set moved_at = now() - interval '2 minutes' where id = $1`,
      [taskId],
    );
    await sweep(fixture.gate);
    expect(await messages()).toHaveLength(1);
    await sweep(fixture.gate);
    expect(await messages()).toHaveLength(1);
    await fixture.deployment.admin.query(
      `update outbox set sent_at = now(), created_at = now() - interval '2 minutes'`,
    );
    await sweep(fixture.gate);
    expect(await messages()).toHaveLength(2);
  });

  it('sends nothing for a task that a launcher holds', async () => {
    const taskId = await assessed();
    const run = await fixture.row<{ id: string }>('select id from run where task_id = $1', [
      taskId,
    ]);
    await fixture.deployment
      .pool('worker-launcher')
      .query('select lease_claim($1, $2, 60)', [run.id, 'someone']);
    await fixture.deployment.admin.query('delete from outbox');
    await fixture.deployment.admin.query(
      `update task set moved_at = now() - interval '2 minutes' where id = $1`,
      [taskId],
    );
    await sweep(fixture.gate);
    expect(
      await fixture.rows(`select 1 as n from outbox where data ->> 'taskId' = $1`, [taskId]),
    ).toEqual([]);
  });
});
