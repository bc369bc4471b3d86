/** The REST face with the real Octokit: what it gives, what it refuses, and what it holds against a caller. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Octokit } from '@octokit/rest';
import { createWorld, type World } from './test-world.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let world: World;
let octokit: Octokit;
beforeAll(async () => {
  world = await createWorld();
  octokit = world.client(await world.mint());
});
afterEach(() => {
  world.github.clearFaults();
  world.github.assertClean();
});
afterAll(() => world.close());

async function branchWithChange(name: string): Promise<string> {
  return world.github.commit({
    repo: world.repo,
    branch: name,
    files: { [`src/${name}.ts`]: 'export {};\n' },
  });
}

describe('comments and people', () => {
  it('gives a comment back as it was written, and shows an edit by its time', async () => {
    const { github, at } = world;
    const issue = github.addIssue({ repo: world.repo, title: 'Bug', by: 'alice' });
    const comment = github.comment({
      repo: world.repo,
      issue: issue.number,
      body: '/agent fix this é😊',
      by: 'alice',
    });
    const first = await octokit.issues.getComment({ ...at, comment_id: comment.id });
    expect(first.data).toMatchObject({
      body: '/agent fix this é😊',
      user: { login: 'alice' },
      created_at: first.data.updated_at,
    });
    github.advanceClock(2000);
    github.editComment(world.repo, comment.id, 'something else');
    const second = await octokit.issues.getComment({ ...at, comment_id: comment.id });
    expect(second.data.body).toBe('something else');
    expect(second.data.updated_at > second.data.created_at).toBe(true);
  });

  it('pages through a list with Link headers that name the repository by id', async () => {
    const { github, at } = world;
    const issue = github.addIssue({ repo: world.repo, title: 'Long', by: 'alice' });
    for (let n = 1; n <= 5; n += 1)
      github.comment({ repo: world.repo, issue: issue.number, body: `c${n}`, by: 'alice' });
    const page = await octokit.issues.listComments({
      ...at,
      issue_number: issue.number,
      per_page: 2,
    });
    expect(page.headers.link).toContain(
      `/repositories/${world.repo.id}/issues/${issue.number}/comments?per_page=2&page=2>; rel="next"`,
    );
    const all = await octokit.paginate(octokit.issues.listComments, {
      ...at,
      issue_number: issue.number,
      per_page: 2,
    });
    expect(all.map((one) => one.body)).toEqual(['c1', 'c2', 'c3', 'c4', 'c5']);
  });

  it('maps roles to the four words of `permission` and keeps the role itself', async () => {
    world.github.addUser({ login: 'trent' });
    world.github.setPermission(world.repo, 'trent', 'triage');
    const ask = async (username: string): Promise<unknown> =>
      (await octokit.repos.getCollaboratorPermissionLevel({ ...world.at, username })).data;
    expect(await ask('alice')).toMatchObject({
      permission: 'write',
      role_name: 'maintain',
      user: { login: 'alice' },
    });
    expect(await ask('trent')).toMatchObject({ permission: 'read', role_name: 'triage' });
    expect(await ask('mallory')).toMatchObject({ permission: 'read', role_name: 'read' });
    await expect(ask('nobody-at-all')).rejects.toMatchObject({ status: 404 });
  });

  it('gives a label event by the id that the list of events told', async () => {
    const issue = world.github.addIssue({ repo: world.repo, title: 'Labelled', by: 'alice' });
    const event = world.github.addLabel({
      repo: world.repo,
      issue: issue.number,
      label: 'agent',
      by: 'alice',
    });
    const list = await octokit.issues.listEvents({ ...world.at, issue_number: issue.number });
    expect(list.data.map((one) => one.id)).toEqual([event.id]);
    const one = await octokit.issues.getEvent({ ...world.at, event_id: event.id });
    expect(one.data).toMatchObject({
      event: 'labeled',
      actor: { login: 'alice' },
      label: { name: 'agent' },
    });
  });
});

describe('pull requests', () => {
  it('opens one draft per branch and names the twin of a second', async () => {
    await branchWithChange('one');
    const input = {
      ...world.at,
      title: 'One',
      head: 'one',
      base: 'main',
      body: 'why',
      draft: true,
    };
    const opened = await octokit.pulls.create(input);
    expect(opened).toMatchObject({
      status: 201,
      data: { draft: true, changed_files: 1, commits: 1, user: { login: 'sallyport[bot]' } },
    });
    await expect(octokit.pulls.create(input)).rejects.toMatchObject({
      status: 422,
      response: {
        data: {
          errors: [
            {
              resource: 'PullRequest',
              code: 'custom',
              message: 'A pull request already exists for acme:one.',
            },
          ],
        },
      },
    });
    const found = await octokit.pulls.list({
      ...world.at,
      head: 'acme:one',
      base: 'main',
      state: 'open',
    });
    expect(found.data.map((one) => one.number)).toEqual([opened.data.number]);
  });

  it('refuses a branch without commits of its own', async () => {
    const sha = (await world.github.branches(world.repo))['main'] ?? '';
    await octokit.git.createRef({ ...world.at, ref: 'refs/heads/same', sha });
    const opening = octokit.pulls.create({ ...world.at, title: 'x', head: 'same', base: 'main' });
    await expect(opening).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('No commits between main and same'),
    });
  });

  it('refuses a body of 65,537 characters and takes one of 65,536', async () => {
    await branchWithChange('long');
    const input = { ...world.at, title: 'Long', head: 'long', base: 'main' };
    await expect(
      octokit.pulls.create({ ...input, body: 'x'.repeat(65_537) }),
    ).rejects.toMatchObject({ status: 422 });
    await expect(
      octokit.pulls.create({ ...input, body: 'x'.repeat(65_536) }),
    ).resolves.toMatchObject({ status: 201 });
  });

  it('opens one of two that are asked for at the same moment', async () => {
    await branchWithChange('race');
    const open = (): Promise<number> =>
      octokit.pulls.create({ ...world.at, title: 'Race', head: 'race', base: 'main' }).then(
        (reply) => reply.status,
        (error: { status: number }) => error.status,
      );
    expect((await Promise.all([open(), open(), open()])).toSorted()).toEqual([201, 422, 422]);
  });

  it('takes a review whose comments lie in the difference, and none beside it', async () => {
    await branchWithChange('seen');
    const pull = await world.github.addPull({
      repo: world.repo,
      head: 'seen',
      title: 'Seen',
      by: 'alice',
    });
    const review = (path: string): Promise<unknown> =>
      octokit.pulls.createReview({
        ...world.at,
        pull_number: pull.number,
        event: 'COMMENT',
        body: 'two things',
        comments: [{ path, line: 1, side: 'RIGHT', body: 'hm' }],
      });
    await expect(review('src/elsewhere.ts')).rejects.toMatchObject({ status: 422 });
    await review('src/seen.ts');
    expect(world.github.reviews(world.repo, pull.number)).toMatchObject({
      reviews: [{ state: 'COMMENTED', user: { login: 'sallyport[bot]' } }],
      comments: [{ path: 'src/seen.ts', line: 1, body: 'hm' }],
    });
  });

  it('is merged past the rules by a person, and then closed', async () => {
    await branchWithChange('done');
    const pull = await world.github.addPull({
      repo: world.repo,
      head: 'done',
      title: 'Done',
      by: 'alice',
    });
    const sha = await world.github.mergePull(world.repo, pull.number, 'alice');
    const after = await octokit.pulls.get({ ...world.at, pull_number: pull.number });
    expect(after.data).toMatchObject({ merged: true, state: 'closed' });
    expect((await octokit.git.getRef({ ...world.at, ref: 'heads/main' })).data.object.sha).toBe(
      sha,
    );
    expect(await world.github.patch(world.repo, `${sha}^`, 'main')).toContain('+++ b/src/done.ts');
  });

  it('shows a head whose fork was deleted as null', async () => {
    const fork = await world.github.addRepo({ owner: 'mallory', name: 'shop', forkOf: world.repo });
    await world.github.commit({ repo: fork, branch: 'patch', files: { 'p.txt': 'p\n' } });
    const pull = await world.github.addPull({
      repo: world.repo,
      headRepo: fork,
      head: 'patch',
      title: 'Fork',
      by: 'mallory',
    });
    const before = await octokit.pulls.get({ ...world.at, pull_number: pull.number });
    expect(before.data.head.repo.id).toBe(fork.id);
    world.github.deleteRepo(fork);
    const after = await octokit.pulls.get({ ...world.at, pull_number: pull.number });
    expect(after.data.head.repo).toBeNull();
  });

  it('loses the reply of a request that took effect, and Octokit calls that a 500', async () => {
    await branchWithChange('lost');
    world.github.fault({ match: { method: 'POST', path: /\/pulls$/ }, cut: 'after' });
    const input = { ...world.at, title: 'Lost', head: 'lost', base: 'main' };
    await expect(octokit.pulls.create(input)).rejects.toMatchObject({ status: 500 });
    const found = await octokit.pulls.list({ ...world.at, head: 'acme:lost' });
    expect(found.data).toHaveLength(1);
    expect(world.github.requests().filter((one) => one.cut)).toMatchObject([
      { method: 'POST', status: null },
    ]);
  });

  it('publishes through the Git Data API: a tree with content, a commit that GitHub signs, a ref', async () => {
    const base = world.repo.headSha;
    const files = [
      {
        path: 'src/new.ts',
        mode: '100644' as const,
        type: 'blob' as const,
        content: 'export const n = 1;\n',
      },
    ];
    const tree = await octokit.git.createTree({ ...world.at, base_tree: base, tree: files });
    const commit = await octokit.git.createCommit({
      ...world.at,
      message: 'Add n',
      tree: tree.data.sha,
      parents: [base],
    });
    expect(commit.data).toMatchObject({
      tree: { sha: tree.data.sha },
      parents: [{ sha: base }],
      verification: { verified: true },
    });
    const ref = { ...world.at, ref: 'refs/heads/agent/data', sha: commit.data.sha };
    await expect(octokit.git.createRef(ref)).resolves.toMatchObject({ status: 201 });
    await expect(octokit.git.createRef(ref)).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('already exists'),
    });
    const clash = octokit.git.createRef({ ...ref, ref: 'refs/heads/agent' });
    await expect(clash).rejects.toMatchObject({ status: 422 });
    expect(world.github.pushes().at(-1)).toMatchObject({
      via: 'rest',
      commands: [{ ref: 'refs/heads/agent', ok: false }],
    });
    expect(await world.github.fileText(world.repo, 'agent/data', 'src/new.ts')).toBe(
      'export const n = 1;\n',
    );
  });
});

describe('a renamed repository', () => {
  it('answers 301 to a POST, which Octokit follows as a GET and reports as success', async () => {
    const moved = await world.github.addRepo({ owner: 'acme', name: 'old-301' });
    await world.github.commit({ repo: moved, branch: 'b', files: { 'b.txt': 'b\n' } });
    const client = await clientFor(moved.id);
    world.github.renameRepo(moved, { name: 'new-301', redirect: 301 });
    const answer = await client.pulls.create({
      owner: 'acme',
      repo: 'old-301',
      title: 't',
      head: 'b',
      base: 'main',
    });
    expect(answer.status).toBe(200);
    expect(await world.github.pulls(moved)).toEqual([]);
  });

  it('answers 307 to a POST, which keeps its method and body', async () => {
    const moved = await world.github.addRepo({ owner: 'acme', name: 'old-307' });
    await world.github.commit({ repo: moved, branch: 'b', files: { 'b.txt': 'b\n' } });
    const client = await clientFor(moved.id);
    world.github.renameRepo(moved, { name: 'new-307', redirect: 307 });
    const answer = await client.pulls.create({
      owner: 'acme',
      repo: 'old-307',
      title: 't',
      head: 'b',
      base: 'main',
    });
    expect(answer.status).toBe(201);
    const byId = await client.request('GET /repositories/{id}', { id: moved.id });
    expect(byId.data).toMatchObject({ full_name: 'acme/new-307' });
  });

  async function clientFor(repositoryId: number): Promise<Octokit> {
    const { data } = await world.app.apps.createInstallationAccessToken({
      installation_id: world.repo.installationId ?? 0,
      repository_ids: [repositoryId],
    });
    return world.client(data.token);
  }
});

describe('what the stand-in holds against a caller', () => {
  async function violationsOf(act: () => Promise<unknown>): Promise<string[]> {
    await act().catch(() => undefined);
    const problems = world.github.violations().map((one) => one.problem);
    world.github.clearViolations();
    return problems;
  }

  it('fails a test that did not clear them', async () => {
    expect(() => world.github.assertClean()).not.toThrow();
    await octokit.request('GET /repos/{owner}/{repo}/nonsense', world.at).catch(() => undefined);
    expect(() => world.github.assertClean()).toThrow('/nonsense: unknown_request');
    world.github.clearViolations();
  });

  it('records a request that GitHub’s description or the stand-in does not know', async () => {
    expect(
      await violationsOf(() => octokit.request('GET /repos/{owner}/{repo}/nonsense', world.at)),
    ).toEqual(['unknown_request']);
    expect(await violationsOf(() => octokit.request('GET /'))).toEqual(['unknown_request']);
    expect(await violationsOf(() => octokit.repos.get(world.at))).toEqual([]);
  });

  it('records a body and a query that do not fit the description', async () => {
    const send = (body: Record<string, unknown>) => () =>
      octokit.request('POST /repos/{owner}/{repo}/issues/1/comments', { ...world.at, ...body });
    expect(await violationsOf(send({ body: 7 }))).toEqual(['invalid_request']);
    expect(await violationsOf(send({ body: 'seven' }))).toEqual([]);
    expect(
      await violationsOf(() =>
        octokit.request('GET /repos/{owner}/{repo}/pulls?stat=open', world.at),
      ),
    ).toEqual(['invalid_request']);
  });

  it('records a GraphQL query that GitHub’s schema or the stand-in does not know', async () => {
    const ask = (fields: string) => () =>
      octokit.graphql(`query { repository(owner: "acme", name: "shop") { ${fields} } }`);
    expect(await violationsOf(ask('nonsense'))).toEqual(['invalid_request']);
    expect(await violationsOf(ask('stargazerCount'))).toEqual(['unknown_request']);
    expect(await violationsOf(ask('nameWithOwner'))).toEqual([]);
  });

  it('answers as a fault tells it, as often as it tells, and then truthfully again', async () => {
    world.github.fault({
      match: { path: /^\/repos/ },
      times: 2,
      status: 502,
      body: '<html>Bad gateway</html>',
    });
    await expect(octokit.repos.get(world.at)).rejects.toMatchObject({ status: 502 });
    await expect(octokit.repos.get(world.at)).rejects.toMatchObject({ status: 502 });
    await expect(octokit.repos.get(world.at)).resolves.toMatchObject({ status: 200 });
    expect(world.github.pendingFaults()).toBe(0);
  });

  it('counts requests down and refuses when the hour is used up', async () => {
    const small = await createWorld({ rateLimit: 3 });
    try {
      const client = small.client(await small.mint());
      const first = await client.repos.get(small.at);
      expect(first.headers).toMatchObject({
        'x-ratelimit-limit': '3',
        'x-ratelimit-remaining': '2',
        'x-ratelimit-used': '1',
      });
      await client.repos.get(small.at);
      await client.repos.get(small.at);
      await expect(client.repos.get(small.at)).rejects.toMatchObject({
        status: 403,
        message: expect.stringContaining('rate limit exceeded'),
      });
      small.github.advanceClock(61 * 60_000);
      const again = small.client(await small.mint());
      await expect(again.repos.get(small.at)).resolves.toMatchObject({ status: 200 });
    } finally {
      await small.close();
    }
  });
});
