/** What the console shows of a task, and what hostile text in it can do: nothing. */
import { newId } from '@sallyport/shared/ids';
import { appendEvent } from '@sallyport/shared/db/timeline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedTask, type SeededTask } from '../../support/deployment/seed-task.ts';
import { startConsole, type Console } from './console-fixture.ts';

const HOSTILE = `<script>alert("x")</script>'"\u202e`;
const SHOWN = '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&quot;⟨U+202E⟩';

let console_: Console;
let hostile: SeededTask;
let plain: SeededTask;
beforeAll(async () => {
  console_ = await startConsole();
  hostile = await seedTask(console_.deployment, {
    requesterLogin: HOSTILE,
    state: 'rejected',
    issue: 7,
  });
  plain = await seedTask(console_.deployment, { requesterLogin: 'dev', state: 'held', issue: 8 });
  await fill(hostile, HOSTILE, 'javascript:alert(1)');
  await console_.deployment.admin.query(
    `insert into presence (instance, process, host, halt_version) values ($1, 'gate', $2, 1000000)`,
    [newId(), HOSTILE],
  );
  await fill(plain, 'a plain reason', 'https://github.example/octo/repo/pull/9');
});
afterAll(() => console_.close());

/** A page as a browser reads it: any white space is one space. */
async function pageText(path: string): Promise<string> {
  return (await console_.script(path)).body.replace(/\s+/g, ' ');
}

/** A task's whole life, with one text in every place that is not ours. */
async function fill(task: SeededTask, text: string, pullUrl: string): Promise<void> {
  const { admin } = console_.deployment;
  const runId = newId();
  await admin.query('update task set state_reason = $2 where id = $1', [task.taskId, text]);
  await admin.query(
    'insert into assessment (id, task_id, decision, reasons) values ($1, $2, $3, $4)',
    [
      newId(),
      task.taskId,
      'admit',
      JSON.stringify([{ rule: 'role', result: 'pass', message: text }]),
    ],
  );
  await admin.query(
    `insert into run (id, task_id, number, state, state_reason) values ($1, $2, 1, 'collected', $3)`,
    [runId, task.taskId, text],
  );
  await admin.query(
    `insert into step (id, run_id, fence, node, visit, attempt, read_only, enforced_by, state, base_tree, hand_off, exit,
       started_at, ended_at)
     values ($1, $2, 1, 'fix', 1, 2, true, 'mount', 'finished', 'tree', $3, $4, now() - interval '1500 ms', now())`,
    [newId(), runId, JSON.stringify({ outcome: text }), JSON.stringify({ reason: text })],
  );
  const finding = {
    rule: 'd08_secrets',
    code: 'secret',
    severity: 'block',
    path: text,
    line: 3,
    reason: text,
    satisfiedBy: 'Take it out.',
    overridableBy: 'nobody',
  };
  await admin.query(
    'insert into verdict (id, run_id, decision, reasons, policy_hash) values ($1, $2, $3, $4, $5)',
    [
      newId(),
      runId,
      'reject',
      JSON.stringify({
        rule: 'verdict',
        result: 'reject',
        message: text,
        children: [{ rule: 'd08_secrets', result: 'reject', message: text, finding, children: [] }],
      }),
      '0'.repeat(64),
    ],
  );
  await admin.query(
    `insert into publication (task_id, run_id, kind, branch, base_ref, base_sha, pull_number, pull_url, repository_id, trigger_id)
     values ($1, $2, 'pull_request', 'agent/x', $3, 'base', 9, $4, 22, (select count(*) from publication))`,
    [task.taskId, runId, text, pullUrl],
  );
  await appendEvent(console_.deployment.pool('gate'), task.taskId, 'task_assessed', {
    reason: text,
  });
}

describe.each(['/', '/tasks/ID', '/halt', '/processes'])('the page %s', (path) => {
  it('holds no markup of a stranger', async () => {
    await console_.script('/api/halt', { json: { scope: 'all', level: 'drain', reason: HOSTILE } });
    const { status, body } = await console_.script(path.replace('ID', hostile.taskId));
    expect(status).toBe(200);
    expect(body).toContain(SHOWN);
    expect(body).not.toContain(HOSTILE);
    expect(body.match(/<script/g)?.length ?? 0).toBe(path === '/tasks/ID' ? 1 : 0);
    expect(body).not.toContain('javascript:');
    await console_.script('/api/resume', { json: { scope: 'all' } });
  });
});

describe('the page of a task', () => {
  it('shows facts, reasons, steps, findings and the link to the pull request', async () => {
    const body = await pageText(`/tasks/${plain.taskId}`);
    for (const shown of [
      'octo/repo#8',
      '<span id="state" class="state held">held</span>',
      '<td>fix</td> <td>1.2</td>',
      'read-only',
      '<td>mount</td>',
      '1.5 s',
      'd08_secrets',
      'Take it out.',
      '<a href="https://github.example/octo/repo/pull/9" rel="noreferrer noopener">#9</a>',
      'The hash chain of 1 events was checked',
    ]) {
      expect(body).toContain(shown);
    }
  });

  it('says where the chain of the timeline breaks', async () => {
    const { admin } = console_.deployment;
    const task = await seedTask(console_.deployment, { issue: 9 });
    await appendEvent(console_.deployment.pool('gate'), task.taskId, 'task_assessed', { a: 1 });
    await admin.query('alter table timeline disable trigger timeline_append_only');
    await admin.query(`update timeline set data = '{"a": 2}' where subject = $1`, [task.taskId]);
    await admin.query('alter table timeline enable trigger timeline_append_only');
    const body = await pageText(`/tasks/${task.taskId}`);
    expect(body).toContain('The hash chain breaks at event 1');
    expect((await console_.script(`/api/tasks/${task.taskId}/timeline`)).json()).toMatchObject({
      verified: false,
      problem: { seq: 1, problem: 'altered' },
    });
  });

  it.each([newId(), 'x', "'", '%00'])('is not there for %s', async (id) => {
    expect((await console_.script(`/tasks/${id}`)).status).toBe(404);
    expect((await console_.script(`/api/tasks/${id}`)).status).toBe(404);
    expect((await console_.script(`/tasks/${id}/events`)).status).toBe(404);
  });
});

describe('the list of tasks', () => {
  async function listed(query: string): Promise<unknown[]> {
    const { tasks } = (await console_.script(`/api/tasks${query}`)).json() as {
      tasks: { id: string }[];
    };
    return tasks.map((task) => task.id).filter((id) => [hostile.taskId, plain.taskId].includes(id));
  }

  it('is newest first, and can be of one state or of what waits for a human', async () => {
    expect(await listed('')).toEqual([plain.taskId, hostile.taskId]);
    expect(await listed('?state=rejected')).toEqual([hostile.taskId]);
    expect(await listed('?state=&waiting=1')).toEqual([plain.taskId]);
    expect(await listed('?state=held&waiting=1')).toEqual([plain.taskId]);
    expect(await listed('?state=rejected&waiting=1')).toEqual([]);
    expect((await console_.script('/?waiting=1&state=')).body).not.toContain(hostile.taskId);
  });

  it('refuses a state that there is not', async () => {
    expect((await console_.script('/api/tasks?state=gone')).status).toBe(400);
    expect((await console_.script('/?state=gone')).status).toBe(400);
  });
});

describe('the API', () => {
  it('gives a task with all that is known of it', async () => {
    expect((await console_.script(`/api/tasks/${plain.taskId}`)).json()).toMatchObject({
      task: { id: plain.taskId, state: 'held', requester: 'dev' },
      assessments: [{ decision: 'admit' }],
      runs: [{ number: 1, state: 'collected' }],
      steps: [
        { node: 'fix', attempt: 2, readOnly: true, enforcedBy: 'mount', outcome: 'a plain reason' },
      ],
      verdict: { decision: 'reject' },
      publication: { pullNumber: 9, baseSha: 'base' },
    });
  });

  it('gives the timeline and whether its chain holds', async () => {
    expect((await console_.script(`/api/tasks/${plain.taskId}/timeline`)).json()).toMatchObject({
      task: plain.taskId,
      verified: true,
      events: [{ seq: 1, kind: 'task_assessed', process: 'gate' }],
    });
  });
});
