/** The line itself under compose: a signed comment in, a pull request out, and the halt between them. */
import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GithubControl } from '../support/github/control/create-github-control.ts';
import { SAMPLE_FIX, SAMPLE_ISSUE } from '../support/line/sample-project.ts';
import { PROCESSES } from './expected.ts';
import type { Report } from './report.ts';
import type { Stack } from './stack.ts';
import { APP, REPO_NAME, READER, WRITER } from './world.ts';

const TASK_TIMEOUT_MS = 180_000;
/** Several times what a sweep and a whole task take here. */
const QUIET_MS = 12_000;
const ENDS = ['published', 'rejected', 'refused', 'held', 'failed', 'cancelled', 'expired'];

interface Task {
  id: string;
  state: string;
  reason: string | null;
  number: number;
  branch: string | null;
  pullNumber: number | null;
}

export async function checkLine(report: Report, stack: Stack): Promise<void> {
  const github = await stack.github();
  const intake = await stack.published('intake', 8080);
  const { stdout: secret } = await stack.shell('intake', 'cat /run/secrets/webhook-secret');

  async function ask(by: string, key = secret): Promise<{ issue: number; status: number }> {
    const { number: issue } = await github.addIssue({
      repo: REPO_NAME,
      ...SAMPLE_ISSUE,
      by: WRITER,
    });
    const comment = await github.comment({ repo: REPO_NAME, issue, body: '/agent fix this', by });
    const payload = await github.issueCommentPayload({ repo: REPO_NAME, comment: comment.id });
    return { issue, status: await deliver(intake, key, JSON.stringify(payload)) };
  }
  async function taskOf(issue: number): Promise<Task | undefined> {
    const { answer } = await stack.sallyport('tasks');
    return (answer['tasks'] as Task[]).find((task) => task.number === issue);
  }
  async function ended(issue: number): Promise<Task> {
    const deadline = Date.now() + TASK_TIMEOUT_MS;
    for (;;) {
      const task = await taskOf(issue);
      if (task !== undefined && ENDS.includes(task.state)) return task;
      if (Date.now() > deadline)
        throw new Error(`the task of issue ${issue} is ${task?.state ?? 'not there'}`);
      await sleep(1000);
    }
  }

  stack.setScript(SAMPLE_FIX);
  await report.check('a signed comment becomes a draft pull request', async () => {
    const { issue, status } = await ask(WRITER);
    assert.equal(status, 202);
    const task = await ended(issue);
    assert.equal(task.state, 'published', task.reason ?? '');
    const pull = (await github.pulls(REPO_NAME)).find((one) => one['number'] === task.pullNumber);
    assert.equal(pull?.['draft'], true);
    const { code, answer } = await stack.sallyport('timeline', task.id, '--verify');
    assert.deepEqual([code, answer['verified']], [0, true]);
    assert.deepEqual(await github.liveTokens(), []);
  });

  await report.check('the same comment of somebody who may not ask becomes nothing', async () => {
    const before = await github.pulls(REPO_NAME);
    const { issue } = await ask(READER);
    assert.equal((await ended(issue)).state, 'refused');
    assert.equal((await github.pulls(REPO_NAME)).length, before.length);
  });

  await report.check('a delivery with a signature of another secret is not accepted', async () => {
    const { issue, status } = await ask(WRITER, 'another secret of good length');
    assert.equal(status, 401);
    assert.equal(await taskOf(issue), undefined);
  });

  await report.check('the sandbox holds no credential and reaches nobody', async () => {
    const postgres = await stack.addressIn('postgres', 'data');
    // The bait that lies in every sandbox would hold what it is in; see the next check.
    const look =
      'env | sed "s/^GITHUB_DEPLOY_TOKEN=.*/GITHUB_DEPLOY_TOKEN/"; ls -d /run/secrets /srv/sallyport /sealed /var/lib/sallyport; ls /proc | grep -c "^[0-9]"; ' +
      `timeout 3 bash -c "exec 3<>/dev/tcp/${postgres}/5432" && echo database open || echo database closed; ` +
      'unshare --user true && echo namespaces open || echo namespaces closed';
    stack.setScript([
      { do: 'run', command: `{ ${look}; } >seen.txt 2>&1` },
      { do: 'handOff', outcome: 'done', summary: 'looked around' },
    ]);
    const { issue } = await ask(WRITER);
    const task = await ended(issue).finally(() => stack.setScript(SAMPLE_FIX));
    assert.equal(task.state, 'published', task.reason ?? '');
    const seen = (await github.fileText(REPO_NAME, String(task.branch), 'seen.txt')) ?? '';
    assert.match(seen, /^database closed$/m);
    assert.match(seen, /^namespaces closed$/m);
    assert.doesNotMatch(
      seen,
      /_FILE=|DEPLOYMENT_ID|^\/run\/secrets$|^\/srv|^\/sealed$|^\/var\/lib/m,
    );
    // bubblewrap's first process, the agent, its shell and what that runs.
    assert.ok(Number(/^\d+$/m.exec(seen)?.[0]) < 12, seen);
  });

  await report.check('what carries the bait of a sandbox out is held', async () => {
    stack.setScript([
      { do: 'run', command: 'env >seen.txt' },
      { do: 'handOff', outcome: 'done', summary: 'looked around' },
    ]);
    const { issue } = await ask(WRITER);
    const task = await ended(issue).finally(() => stack.setScript(SAMPLE_FIX));
    assert.deepEqual([task.state, task.reason], ['held', 'canary_seen']);
  });

  await checkHalt(report, stack, github, { ask, taskOf, ended });
}

async function checkHalt(
  report: Report,
  stack: Stack,
  github: GithubControl,
  line: {
    ask(by: string): Promise<{ issue: number; status: number }>;
    taskOf(issue: number): Promise<Task | undefined>;
    ended(issue: number): Promise<Task>;
  },
): Promise<void> {
  let issue = 0;
  await report.check('a halt is acknowledged by every process, and nothing starts', async () => {
    const { code, answer } = await stack.sallyport('halt', '--reason', 'the test says so');
    assert.equal(code, 0, JSON.stringify(answer));
    const acknowledged = (answer['acknowledged'] as unknown[]).map((one) => JSON.stringify(one));
    for (const process of PROCESSES)
      assert.ok(
        acknowledged.some((one) => one.includes(process)),
        process,
      );
    const pulls = await github.pulls(REPO_NAME);
    const asked = await line.ask(WRITER);
    issue = asked.issue;
    assert.equal(asked.status, 202);
    await sleep(QUIET_MS);
    const task = await line.taskOf(issue);
    assert.ok(task === undefined || ['received', 'assessing'].includes(task.state), task?.state);
    assert.equal((await github.pulls(REPO_NAME)).length, pulls.length);
  });

  await report.check('after the release it goes on by itself', async () => {
    assert.equal((await stack.sallyport('resume')).code, 0);
    assert.equal((await line.ended(issue)).state, 'published');
  });

  await report.check('queues and status answer in the console’s container', async () => {
    const queues = await stack.sallyport('queues');
    assert.equal(queues.code, 0);
    assert.equal((queues.answer['queues'] as unknown[]).length, 6);
    const status = await stack.sallyport('status');
    assert.deepEqual(status.answer['halts'], []);
  });

  await report.check('the console asks who is there', async () => {
    const url = await stack.published('console', 8081);
    const page = await fetch(url, { redirect: 'manual' });
    assert.ok([200, 302, 303, 401].includes(page.status), String(page.status));
    assert.doesNotMatch(await page.text(), new RegExp(REPO_NAME));
  });
}

/** Sends it as GitHub does. @returns the status of the answer. */
async function deliver(intake: string, secret: string, body: string): Promise<number> {
  const response = await fetch(`${intake}/github/webhook`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/5tand1n',
      'x-github-delivery': randomUUID(),
      'x-github-event': 'issue_comment',
      'x-github-hook-id': '1',
      'x-github-hook-installation-target-id': String(APP.id),
      'x-github-hook-installation-target-type': 'integration',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
    body,
  });
  await response.arrayBuffer();
  return response.status;
}
