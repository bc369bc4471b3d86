/** What other processes ask GitHub through the publisher: the answers, the bounds, and what is answered with unknown. */
import {
  answerOf,
  ask,
  findGithubRequest,
  type Asking,
  type GithubRequestRow,
} from '@sallyport/shared/db/github-request';
import { liftHalt, setHalt } from '@sallyport/shared/db/halt';
import { inTransaction } from '@sallyport/shared/db/pool';
import { readTimeline } from '@sallyport/shared/db/timeline';
import { newId } from '@sallyport/shared/ids';
import type { GithubRequestKind } from '@sallyport/shared/task/github-requests';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  handleRequest,
  MAX_ATTEMPTS,
} from '../../../services/publisher/src/publisher/requests/answer.ts';
import { sweepRequests } from '../../../services/publisher/src/publisher/requests/sweep.ts';
import { readArtifact } from '@sallyport/shared/artifacts/store';
import {
  addRepository,
  lookAt,
  REQUESTER,
  seedCollectedTask,
  type CollectedTask,
} from './collected-task.ts';
import { assertSettled, createPublisherWorld, type PublisherWorld } from './publisher-world.ts';

let world: PublisherWorld;
let one: CollectedTask;
beforeAll(async () => {
  world = await createPublisherWorld();
});
beforeEach(async () => {
  one = await seedCollectedTask(world, { repo: await addRepository(world), changed: false });
});
afterEach(() => {
  world.github.clearFaults();
  assertSettled(world);
});
afterAll(() => world.close());

async function asked<K extends GithubRequestKind>(
  kind: K,
  params: Asking<K>['params'],
  ticketJti?: string,
): Promise<GithubRequestRow> {
  const process = kind === 'source' ? 'worker-launcher' : 'gate';
  const asking = {
    kind,
    taskId: one.taskId,
    installationId: one.repo.installationId ?? 0,
    repositoryId: one.repo.id,
    params,
    ...(ticketJti === undefined ? {} : { ticketJti }),
  };
  return inTransaction(world.deployment.pool(process), (tx) => ask(tx, asking as Asking<K>));
}

async function answered(id: string): Promise<GithubRequestRow | null> {
  await handleRequest(world.publisher, id);
  return findGithubRequest(world.deployment.admin, id);
}

describe('permission', () => {
  it('gives the role and the id of the account that GitHub answered for', async () => {
    const row = await answered((await asked('permission', { login: REQUESTER })).id);
    const answer = answerOf(row, 'permission');
    expect(answer).toMatchObject({
      found: true,
      permission: 'write',
      role: 'write',
      userId: one.claims.requester.id,
    });
    expect(row?.attempts).toBe(1);
  });

  it('says that there is no such account', async () => {
    const row = await answered((await asked('permission', { login: 'nobody-at-all' })).id);
    expect(answerOf(row, 'permission')).toEqual({
      found: false,
      userId: null,
      permission: null,
      role: null,
    });
  });

  it('does not put what is no login into a URL', async () => {
    const before = world.github.requests().length;
    const row = await answered((await asked('permission', { login: '../../../user' })).id);
    expect(row).toMatchObject({ state: 'unknown', answer: { reason: 'bad_input' } });
    const paths = world.github
      .requests()
      .slice(before)
      .map((request) => request.path);
    expect(paths.filter((path) => !/access_tokens|installation\/token/.test(path))).toEqual([]);
  });
});

describe('subject', () => {
  it('gives the issue as it is now', async () => {
    const row = await answered((await asked('subject', { number: one.issue })).id);
    expect(answerOf(row, 'subject')).toMatchObject({
      found: true,
      isPullRequest: false,
      state: 'open',
      title: 'sum() subtracts',
      body: 'It should add.',
    });
  });

  it('tells a pull request from an issue, and nothing from something', async () => {
    await world.github.commit({ repo: one.repo, branch: 'side', files: { 'x.js': '1\n' } });
    const pull = await world.github.addPull({
      repo: one.repo,
      head: 'side',
      title: 'Side',
      by: REQUESTER,
    });
    const row = await answered((await asked('subject', { number: pull.number })).id);
    expect(answerOf(row, 'subject')).toMatchObject({ found: true, isPullRequest: true });
    const gone = await answered((await asked('subject', { number: 9_999 })).id);
    expect(answerOf(gone, 'subject')).toMatchObject({ found: false });
  });
});

describe('head', () => {
  it('gives the tip of the default branch when none is named, and of a named one', async () => {
    const standard = await answered((await asked('head', { ref: null })).id);
    expect(answerOf(standard, 'head')).toEqual({ found: true, ref: 'main', sha: one.repo.headSha });
    const sha = await world.github.commit({
      repo: one.repo,
      branch: 'a/b#c',
      files: { 'x.js': '1\n' },
    });
    const named = await answered((await asked('head', { ref: 'a/b#c' })).id);
    expect(answerOf(named, 'head')).toEqual({ found: true, ref: 'a/b#c', sha });
    const gone = await answered((await asked('head', { ref: 'a' })).id);
    expect(answerOf(gone, 'head')).toEqual({ found: false, ref: 'a', sha: null });
  });
});

describe('comment', () => {
  const values = { login: REQUESTER, reason: 'You may not. Fixes #4 @everyone <!-- x -->' };

  it('posts the template once, however often and however simultaneously it is asked', async () => {
    const { id } = await asked('comment', { number: one.issue, template: 'refused', values });
    const other = world.anotherPublisher();
    await Promise.all([
      handleRequest(world.publisher, id),
      handleRequest(other, id),
      handleRequest(world.publisher, id),
    ]);
    const seen = await lookAt(world, one);
    expect(seen.comments).toHaveLength(1);
    expect(seen.comments[0]).toContain(`@${REQUESTER}`);
    expect(seen.comments[0]).toContain('> You may not.');
    expect(seen.comments[0]).not.toMatch(/Fixes #4|<!-- x/);
    const row = await findGithubRequest(world.deployment.admin, id);
    expect(answerOf(row, 'comment')?.commentId).toBeGreaterThan(0);
  });

  it('adopts the comment whose reply was lost', async () => {
    const { id } = await asked('comment', { number: one.issue, template: 'refused', values });
    world.github.fault({ match: { method: 'POST', path: /\/comments$/ }, cut: 'after' });
    await expect(handleRequest(world.publisher, id)).rejects.toMatchObject({ code: 'transient' });
    expect((await findGithubRequest(world.deployment.admin, id))?.state).toBe('asked');
    expect((await answered(id))?.state).toBe('answered');
    expect((await lookAt(world, one)).comments).toHaveLength(1);
  });

  it('does not take somebody else for itself who copies the mark', async () => {
    const { id } = await asked('comment', { number: one.issue, template: 'refused', values });
    const mark = `<!-- sallyport task=${one.taskId} template=refused -->`;
    world.github.comment({ repo: one.repo, issue: one.issue, body: mark, by: REQUESTER });
    await handleRequest(world.publisher, id);
    expect((await lookAt(world, one)).comments).toHaveLength(1);
  });

  it('is posted only where somebody asked, and speaks to whoever did', async () => {
    const elsewhere = world.github.addIssue({ repo: one.repo, title: 'Other', by: REQUESTER });
    const wrong = await asked('comment', { number: elsewhere.number, template: 'held', values });
    expect(await answered(wrong.id)).toMatchObject({
      state: 'unknown',
      answer: { reason: 'not_asked_here' },
    });
    expect(world.github.comments(one.repo, elsewhere.number)).toEqual([]);
    const spoken = { ...values, login: 'somebody-else' };
    const right = await asked('comment', {
      number: one.issue,
      template: 'refused',
      values: spoken,
    });
    expect((await answered(right.id))?.state).toBe('answered');
    const [comment] = (await lookAt(world, one)).comments;
    expect(comment).toContain(`@${REQUESTER}`);
    expect(comment).not.toContain('somebody-else');
  });

  it('is not posted when the request is by somebody else than the task says, or gone', async () => {
    await world.deployment.admin.query('update task set requester_id = 1 where id = $1', [
      one.taskId,
    ]);
    const foreign = await asked('comment', { number: one.issue, template: 'refused', values });
    expect(await answered(foreign.id)).toMatchObject({ answer: { reason: 'not_asked_here' } });
    world.github.deleteComment(one.repo, one.commentId);
    const gone = await asked('comment', { number: one.issue, template: 'held', values });
    expect(await answered(gone.id)).toMatchObject({ answer: { reason: 'not_asked_here' } });
    expect((await lookAt(world, one)).comments).toEqual([]);
  });

  it('waits while halted without a word to GitHub, and is posted after the release', async () => {
    const { id } = await asked('comment', { number: one.issue, template: 'refused', values });
    const before = world.github.requests().length;
    await setHalt(world.deployment.pool('operator'), 'all', 'drain', 'test', 'someone');
    const halted = await answered(id);
    expect(halted).toMatchObject({ state: 'asked', attempts: 0 });
    expect(world.github.requests()).toHaveLength(before);
    await liftHalt(world.deployment.pool('operator'), 'all', 'someone');
    expect((await answered(id))?.state).toBe('answered');
  });

  it('names the value that a template lacks by answering unknown', async () => {
    const row = await answered(
      (
        await asked('comment', {
          number: one.issue,
          template: 'held',
          values: { login: REQUESTER },
        })
      ).id,
    );
    expect(row).toMatchObject({ state: 'unknown', answer: { reason: 'bad_input' } });
    expect((await lookAt(world, one)).comments).toEqual([]);
  });
});

describe('source', () => {
  it('stores the pack of the start commit for a ticket that stands', async () => {
    const row = await answered((await asked('source', { sha: one.repo.headSha }, one.jti)).id);
    expect(row?.state).toBe('answered');
    const answer = answerOf(row, 'source');
    const pack = await readArtifact(
      world.deployment.pool('worker-launcher'),
      row?.artifactId ?? '',
      1_000_000,
    );
    expect(pack.length).toBe(answer?.size);
    expect(pack.toString('latin1', 0, 4)).toBe('PACK');
    expect(answer?.shallow).toEqual([]);
  });

  it.each([
    [
      'another commit than the ticket names',
      () => ({ sha: 'a'.repeat(40), jti: one.jti }),
      'other_start',
    ],
    ['no such ticket', () => ({ sha: one.repo.headSha, jti: newId() }), 'missing'],
  ] as const)('refuses %s and writes it down', async (_, wish, why) => {
    const { sha, jti } = wish();
    const tokens = world.github.tokens().length;
    const row = await answered((await asked('source', { sha }, jti)).id);
    expect(row).toMatchObject({ state: 'unknown', answer: { reason: why } });
    const events = await readTimeline(world.deployment.admin, one.taskId);
    expect(events.find((event) => event.kind === 'ticket_refused')?.data).toMatchObject({
      why,
      use: 'source',
    });
    expect(world.github.tokens()).toHaveLength(tokens);
  });

  it('refuses a ticket that was revoked', async () => {
    await world.deployment.admin.query('update ticket set revoked_at = now() where jti = $1', [
      one.jti,
    ]);
    const row = await answered((await asked('source', { sha: one.repo.headSha }, one.jti)).id);
    expect(row).toMatchObject({ state: 'unknown', answer: { reason: 'revoked' } });
  });

  it('refuses the ticket of another task', async () => {
    const other = await seedCollectedTask(world, { repo: one.repo, changed: false });
    const row = await answered((await asked('source', { sha: one.repo.headSha }, other.jti)).id);
    expect(row).toMatchObject({ state: 'unknown', answer: { reason: 'other_run' } });
  });
});

describe('when GitHub cannot be asked', () => {
  it('tries a bounded number of times, then answers unknown', async () => {
    const { id } = await asked('subject', { number: one.issue });
    world.github.fault({
      match: { method: 'POST', path: /access_tokens$/ },
      status: 503,
      times: MAX_ATTEMPTS,
    });
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
      await expect(handleRequest(world.publisher, id)).rejects.toMatchObject({ code: 'transient' });
    }
    expect(await answered(id)).toMatchObject({ state: 'unknown', answer: { reason: 'transient' } });
  });

  it('answers after a failure that passed, found by the sweep', async () => {
    const { id } = await asked('subject', { number: one.issue });
    world.github.fault({ match: { method: 'GET', path: /\/issues\/\d+$/ }, status: 502 });
    await expect(handleRequest(world.publisher, id)).rejects.toMatchObject({ code: 'transient' });
    await world.deployment.admin.query(
      `update github_request set asked_at = now() - interval '1 minute' where id = $1`,
      [id],
    );
    await sweepRequests(world.publisher);
    expect((await findGithubRequest(world.deployment.admin, id))?.state).toBe('asked');
    world.publisher.backoff.forget(id);
    await sweepRequests(world.publisher);
    expect((await findGithubRequest(world.deployment.admin, id))?.state).toBe('answered');
  });

  it('answers unknown at once for a suspended installation, and the twin that is not', async () => {
    const { id } = await asked('subject', { number: one.issue });
    world.github.setInstallation(one.repo.installationId ?? 0, { suspended: true });
    const row = await answered(id);
    world.github.setInstallation(one.repo.installationId ?? 0, { suspended: false });
    expect(row).toMatchObject({ state: 'unknown', answer: { reason: 'installation_suspended' } });
    const twin = await answered((await asked('head', { ref: null })).id);
    expect(twin?.state).toBe('answered');
  });

  it('answers unknown for an installation that is gone', async () => {
    const { id } = await asked('subject', { number: one.issue });
    await world.deployment.admin.query(
      'update github_request set installation_id = 1 where id = $1',
      [id],
    );
    world.github.deleteRepo(one.repo);
    expect(await answered(id)).toMatchObject({ state: 'unknown', answer: { reason: 'not_found' } });
  });

  it('answers unknown when GitHub grants another token than was asked for, and gives it back', async () => {
    const { id } = await asked('subject', { number: one.issue });
    const repositories = [{ id: 1, name: 'other', owner: { login: 'acme' } }];
    world.github.fault({
      match: { method: 'POST', path: /access_tokens$/ },
      status: 201,
      body: {
        token: 'ghs_not_from_here',
        permissions: { metadata: 'read', issues: 'read' },
        repository_selection: 'selected',
        repositories,
      },
    });
    expect(await answered(id)).toMatchObject({
      state: 'unknown',
      answer: { reason: 'token_differs' },
    });
    expect(world.github.requests().at(-1)).toMatchObject({
      method: 'DELETE',
      path: '/installation/token',
    });
  });
});
