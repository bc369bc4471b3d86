import { awaitTask } from '@sallyport/cli/local/demo/await-task';
import { createTemporaryDirectory } from '@sallyport/cli/local/temporary';
import { liftHalt, setHalt } from '@sallyport/shared/db/halt';
import { verifyTimeline } from '@sallyport/shared/db/timeline';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { SAMPLE_FIX } from '../support/line/sample-project.ts';
import { READER, startLine, type Line } from '../support/line/start-line.ts';
import { agentBranches, askAndWait, botComments } from '../support/line/tasks-of.ts';

let line: Line;
const state = createTemporaryDirectory();
beforeAll(async () => {
  line = await startLine({ state: state.path, env: process.env, script: SAMPLE_FIX });
});
afterAll(async () => {
  await line.stop();
  state.remove();
});
afterEach(async () => {
  line.setScript(SAMPLE_FIX);
  await line.github.control.setProtection(line.repo, 'protected');
  await line.github.control.assertClean();
});

it('turns a signed comment into a branch and a draft pull request on the admitted base', async () => {
  const { task, events, issue } = await askAndWait(line);
  expect(task).toMatchObject({ state: 'published', requester: 'dev-ada', number: issue });
  const { control } = line.github;
  const base = line.github.repos[0]?.headSha;
  const commit = await control.commitInfo(line.repo, String(task.branch));
  expect(commit.parents).toEqual([base]);
  expect(commit.author.name).toBe('sallyport[bot]');
  const pull = (await control.pulls(line.repo)).find((p) => p['number'] === task.pullNumber);
  expect(pull).toMatchObject({
    draft: true,
    state: 'open',
    base: { ref: 'main' },
    head: { ref: task.branch },
  });
  const diff = await control.diff(line.repo, String(task.baseSha), String(task.headSha));
  expect(diff.map((file) => [file.status, file.path])).toEqual([
    ['modified', 'src/slug.js'],
    ['modified', 'test/slug.test.js'],
  ]);
  expect(await botComments(line, issue)).toHaveLength(1);
  expect(await verifyTimeline(line.db, task.id)).toBeNull();
  expect(events.map((e) => e.kind)).toEqual(
    expect.arrayContaining([
      'delivery_stored',
      'task_assessed',
      'ticket_issued',
      'run_started',
      'step_ended',
      'tree_compared',
      'bundle_collected',
      'verdict_given',
      'pushed',
      'published',
    ]),
  );
});

it('mints a token per act, for one repository, and leaves none alive', async () => {
  const tokens = await line.github.control.tokens();
  expect(tokens.length).toBeGreaterThan(5);
  for (const token of tokens) {
    expect(token.repositoryIds).toEqual([line.github.repos[0]?.id]);
    expect(Object.keys(token.permissions)).not.toContain('workflows');
    expect(token.permissions['administration'] ?? 'read').toBe('read');
  }
  expect(await line.github.control.liveTokens()).toEqual([]);
});

it('refuses somebody with read permission only, and says why on the issue', async () => {
  const { task, issue } = await askAndWait(line, '/agent fix this', READER);
  expect(task.state).toBe('refused');
  await expect
    .poll(() => botComments(line, issue), { timeout: 20_000 })
    .toEqual([expect.stringContaining('read')]);
});

it('makes one task of a delivery that comes twice, and of one that comes twice at once', async () => {
  const { control } = line.github;
  const issue = await line.addIssue();
  const comment = await control.comment({
    repo: line.repo,
    issue,
    body: '/agent fix this',
    by: 'dev-ada',
  });
  const payload = await control.issueCommentPayload({ repo: line.repo, comment: comment.id });
  const copies = await control.deliver('issue_comment', payload, { copies: 3, simultaneous: true });
  expect(copies.every((d) => d.statusCode >= 200 && d.statusCode < 300)).toBe(true);
  const guid = String(copies[0]?.guid);
  expect((await control.redeliver(guid)).statusCode).toBe(200);
  // The same comment by way of another hook: another GUID, the same request.
  const [other] = await control.deliver('issue_comment', payload);
  const { task } = await awaitTask(line.db, guid, { timeoutMs: 90_000 });
  expect(task.state).toBe('published');
  await expect
    .poll(
      () =>
        line.db
          .query('select state_reason from delivery where guid = $1', [other?.guid])
          .then((r) => r.rows[0]),
      { timeout: 10_000 },
    )
    .toEqual({ state_reason: 'duplicate_event' });
  const { rows } = await line.db.query('select id from task where subject_number = $1', [issue]);
  expect(rows).toHaveLength(1);
  const pulls = await control.pulls(line.repo);
  expect(pulls.filter((p) => String(p['body']).includes(task.id))).toHaveLength(1);
});

it('starts nothing while halted, and goes on by itself when resumed', async () => {
  await setHalt(line.db, 'all', 'drain', 'a test', 'test');
  const issue = await line.addIssue();
  const { guid, statusCode } = await line.comment(issue, '/agent fix this');
  expect(statusCode).toBe(202);
  const before = await line.github.control.tokens();
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const { rows } = await line.db.query('select state from task where subject_number = $1', [issue]);
  expect(rows.every((row) => ['received', 'assessing'].includes(String(row['state'])))).toBe(true);
  expect(
    (await line.github.control.tokens())
      .slice(before.length)
      .filter((t) => Object.values(t.permissions).includes('write')),
  ).toEqual([]);
  await liftHalt(line.db, 'all', 'test');
  const { task } = await awaitTask(line.db, guid, { timeoutMs: 90_000 });
  expect(task.state).toBe('published');
});

it.each([
  ['has no required reviews', 'no_reviews', /^(protection_unprotected|protection_weak)/],
  ['is not protected at all', 'none', /^protection_unprotected/],
  ['can be bypassed by our own App', 'app_can_bypass', /app_can_bypass/],
  ['cannot be read', 'unreadable', /^protection_unknown/],
] as const)('pushes nothing to a base that %s, and says why', async (_, preset, reason) => {
  await line.github.control.setProtection(line.repo, preset);
  const before = await agentBranches(line);
  const { task } = await askAndWait(line);
  expect(['held', 'rejected']).toContain(task.state);
  expect(task.reason).toMatch(reason);
  expect(await agentBranches(line)).toEqual(before);
});

const done = { do: 'handOff', outcome: 'done', summary: 'did it' } as const;
it.each([
  [
    'a workflow',
    /^protected_path/,
    [{ do: 'write', path: '.github/workflows/ci.yml', content: 'on: push\n' }, done],
  ],
  ['a symlink', /^symlink/, [{ do: 'symlink', path: 'src/passwd', target: '/etc/passwd' }, done]],
  [
    'a secret',
    /^secret/,
    [
      {
        do: 'write',
        path: 'src/config.js',
        content: `export const t = '${['gh', 'p_'].join('')}${'a1B2c3D4e5'.repeat(4).slice(0, 36)}';\n`,
      },
      done,
    ],
  ],
] as const)('pushes nothing of a change with %s in it, and says why', async (_, reason, script) => {
  line.setScript(script);
  const before = await agentBranches(line);
  const { task } = await askAndWait(line);
  expect(task.state).toBe('rejected');
  expect(task.reason).toMatch(reason);
  expect(await agentBranches(line)).toEqual(before);
});

it('rejects a run that changes nothing', async () => {
  line.setScript([done]);
  const { task } = await askAndWait(line);
  expect(task).toMatchObject({
    state: 'rejected',
    reason: expect.stringContaining('empty_change') as unknown,
  });
});

it('ends a run whose agent misbehaves, with its reason, and does the next task', async () => {
  line.setScript([{ do: 'exit', code: 3 }]);
  expect((await askAndWait(line)).task).toMatchObject({ state: 'failed' });
  line.setScript(SAMPLE_FIX);
  expect((await askAndWait(line)).task).toMatchObject({ state: 'published' });
});
