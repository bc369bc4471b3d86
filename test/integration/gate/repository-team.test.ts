/** Teams that a repository brings: what is asked, of which commit, and each refusal beside the twin that is admitted. */
import { ask } from '@sallyport/shared/db/github-request';
import { inTransaction } from '@sallyport/shared/db/pool';
import { findTicketOfRun } from '@sallyport/shared/db/ticket';
import { decodeSnapshot } from '@sallyport/shared/task/snapshot';
import { requireTicket } from '@sallyport/shared/ticket/standing';
import { TeamSchema } from '@sallyport/teams/team';
import { hashTeam } from '@sallyport/teams/team-hash';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { advanceTask } from '../../../services/gate/src/assess/advance-task.ts';
import type { TeamChoice } from '../../../services/gate/src/choices/team-choice.ts';
import { handleDelivery } from '../../../services/gate/src/delivery/handle-delivery.ts';
import { sweep } from '../../../services/gate/src/sweep.ts';
import {
  commentPayload,
  createGateFixture,
  HEAD_SHA,
  type Answers,
  type GateFixture,
} from './gate-fixture.ts';

const FILE = `v: 1
name: pair
nodes:
  - { id: dev, agent: { cli: scripted }, prompt: Work. }
  - { id: qa, agent: { cli: scripted }, prompt: Look., readOnly: true }
edges:
  - { from: dev, to: qa }
`;
const PARAMS = { sha: HEAD_SHA, directory: '.sallyport/teams', name: 'pair.yaml' } as const;

let fixture: GateFixture;
let closed: TeamChoice;
beforeAll(async () => {
  fixture = await createGateFixture();
  closed = fixture.gate.teams;
});
beforeEach(() => {
  const repository = { allow: true, clis: ['scripted'], models: [], autonomous: [], args: [] };
  fixture.gate.teams = { ...closed, repository };
});
afterAll(() => fixture.close());

async function makeTask(team = 'pair'): Promise<string> {
  const payload = commentPayload(`/agent fix --team ${team} this`);
  const taskId = await handleDelivery(fixture.gate, await fixture.deliver(payload));
  if (taskId === null) throw new Error('no task was made');
  await advanceTask(fixture.gate, taskId);
  return taskId;
}

/** As far as the publisher's answers carry the task. */
async function assessed(answers: Answers, team?: string): Promise<string> {
  const taskId = await makeTask(team);
  await fixture.answer(taskId, answers);
  await advanceTask(fixture.gate, taskId);
  await fixture.answer(taskId, answers);
  await advanceTask(fixture.gate, taskId);
  return taskId;
}

function stateOf(taskId: string): Promise<{ state: string; reason: string | null }> {
  return fixture.row('select state, state_reason as reason from task where id = $1', [taskId]);
}

async function filesAsked(taskId: string): Promise<unknown[]> {
  const asked = await fixture.rows<{ params: unknown }>(
    `select params from github_request where task_id = $1 and kind = 'file_at'`,
    [taskId],
  );
  return asked.map(({ params }) => params);
}

async function told(taskId: string): Promise<string> {
  const { params } = await fixture.row<{ params: { values: { reason: string } } }>(
    `select params from github_request where task_id = $1 and kind = 'comment'`,
    [taskId],
  );
  return params.values.reason;
}

describe('a team of the repository', () => {
  it('is asked for once, of the commit that the run will start from, when all else has passed', async () => {
    const taskId = await makeTask();
    expect(await filesAsked(taskId)).toEqual([]);
    await fixture.answer(taskId);
    await Promise.all(Array.from({ length: 4 }, () => advanceTask(fixture.gate, taskId)));
    expect(await filesAsked(taskId)).toEqual([PARAMS]);
    expect((await stateOf(taskId)).state).toBe('assessing');
    await sweep(fixture.gate, { deliverySeconds: 0, taskSeconds: 0, workSeconds: 60 });
    expect(await filesAsked(taskId)).toEqual([PARAMS]);
    await fixture.answer(taskId, { file_at: { text: FILE, names: ['pair.yaml'] } });
    await Promise.all(Array.from({ length: 4 }, () => advanceTask(fixture.gate, taskId)));
    expect(await stateOf(taskId)).toEqual({ state: 'admitted', reason: null });
  });

  it('stands under its hash in the ticket and in the table that the launcher compares with', async () => {
    const taskId = await assessed({ file_at: { text: FILE, names: ['pair.yaml'] } });
    const run = await fixture.row<{ id: string }>('select id from run where task_id = $1', [
      taskId,
    ]);
    const launcher = fixture.deployment.pool('worker-launcher');
    expect(await findTicketOfRun(launcher, run.id)).not.toBeNull();
    const subject = { id: run.id, taskId };
    const claims = await requireTicket(launcher, subject, fixture.keys, 'worker-launcher');
    const { name, content } = await fixture.row<{ name: string; content: unknown }>(
      'select name, content from team_version where hash = $1',
      [claims.team.hash],
    );
    const team = TeamSchema.parse(content);
    expect([name, claims.team.name, hashTeam(team)]).toEqual(['pair', 'pair', claims.team.hash]);
    expect(team.nodes.map((node) => [node.id, node.readOnly])).toEqual([
      ['dev', false],
      ['qa', true],
    ]);
    expect(claims).toMatchObject({ read_only: false, start: { sha: HEAD_SHA } });
    const { content: bytes } = await fixture.row<{ content: Buffer }>(
      'select content from snapshot where task_id = $1',
      [taskId],
    );
    expect(decodeSnapshot(bytes).command.team).toBe('pair');
    const { reasons } = await fixture.row<{ reasons: { rule: string; message: string }[] }>(
      'select reasons from assessment where task_id = $1',
      [taskId],
    );
    expect(reasons.at(-1)?.message).toContain('.sallyport/teams/pair.yaml at cccccccccccc');
  });

  it("goes behind the operator's of the same name, whose restrictions nobody can lift by a file", async () => {
    const own = TeamSchema.parse({
      v: 1,
      name: 'pair',
      readOnly: true,
      nodes: [{ id: 'guard', agent: { cli: 'scripted' }, prompt: '' }],
    });
    const found = { team: own, hash: hashTeam(own) };
    const { repository } = fixture.gate.teams;
    fixture.gate.teams = { defaultName: 'pair', names: ['pair'], find: () => found, repository };
    const taskId = await assessed({ file_at: { text: FILE } });
    expect(await filesAsked(taskId)).toEqual([]);
    const { token } = await fixture.row<{ token: string }>(
      'select token from ticket where task_id = $1',
      [taskId],
    );
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.team).toEqual({ name: 'pair', hash: found.hash });
  });

  it.each([
    [
      'is not there, with all names that are',
      'team_known',
      { text: null, names: ['other.yaml'] },
      /there is no team "pair"; there is "starter", .*"feature-squad", "other"$/,
    ],
    [
      'is wrong, with line, column and mend',
      'team_usable',
      { text: FILE.replace('readOnly', 'reedOnly') },
      /at c{12} cannot be used:\n- line 5, column \d+: "reedOnly" .*did you mean "readOnly"/,
    ],
    [
      'starts another program',
      'team_usable',
      { text: FILE.replace('cli: scripted', 'cli: scripted, command: /bin/sh') },
      /line 4, column \d+: node "dev": agent\.command may not be given here \(leave it out/,
    ],
    [
      'takes an agent that the operator does not allow',
      'team_usable',
      { text: FILE.replace('cli: scripted', 'cli: claude') },
      /node "dev": agent\.cli "claude" is not allowed here \(allowed here: scripted\)/,
    ],
    ['is a link', 'team_usable', { text: null, problem: 'link' }, /is a symbolic link/],
    ['cannot be read', 'team_known', 'unknown', /could not be read; ask again/],
    ['comes in another form', 'team_known', { text: 5 }, /could not be read; ask again/],
  ] as const)('is refused when it %s', async (_what, rule, answer, reason) => {
    const taskId = await assessed({ file_at: answer });
    expect(await stateOf(taskId)).toEqual({ state: 'refused', reason: rule });
    expect(await told(taskId)).toMatch(reason);
    const twin = await assessed({ file_at: { text: FILE } });
    expect((await stateOf(twin)).state).toBe('admitted');
  });

  it('is not even looked for where the operator has not allowed it', async () => {
    fixture.gate.teams = closed;
    const taskId = await makeTask();
    expect(await stateOf(taskId)).toEqual({ state: 'refused', reason: 'team_known' });
    expect(await filesAsked(taskId)).toEqual([]);
  });

  it('is not looked for on behalf of somebody who may not ask', async () => {
    const taskId = await assessed({ permission: { role: 'read' }, file_at: { text: FILE } });
    expect(await stateOf(taskId)).toEqual({ state: 'refused', reason: 'requester_role' });
    expect(await filesAsked(taskId)).toEqual([]);
  });

  it('that is never told of expires like any other question', async () => {
    const taskId = await assessed({ file_at: 'open' });
    expect((await stateOf(taskId)).state).toBe('assessing');
    fixture.clock.offsetMs = 601_000;
    await advanceTask(fixture.gate, taskId);
    fixture.clock.offsetMs = 0;
    expect(await stateOf(taskId)).toEqual({ state: 'expired', reason: 'assessment_timeout' });
  });
});

it('a file can be asked for by the gate alone', async () => {
  const taskId = await makeTask();
  const { installationId, repositoryId } = await fixture.row<{
    installationId: number;
    repositoryId: number;
  }>(
    `select installation_id::float8 as "installationId", repository_id::float8 as "repositoryId"
     from task where id = $1`,
    [taskId],
  );
  const asking = { kind: 'file_at', taskId, installationId, repositoryId, params: PARAMS } as const;
  const by = (process: 'gate' | 'worker-launcher') =>
    inTransaction(fixture.deployment.pool(process), (tx) => ask(tx, asking));
  await expect(by('worker-launcher')).rejects.toThrow(/row-level security/);
  expect((await by('gate')).state).toBe('asked');
});
