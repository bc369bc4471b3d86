/** The sender of webhooks: signatures over raw bytes, the same GUID again, duplicates, and payloads that agree with REST. */
import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReceiver, createWorld, type Receiver, type World } from './test-world.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const SECRET = "It's a Secret to Everybody";
let world: World;
let receiver: Receiver;
beforeAll(async () => {
  world = await createWorld({ webhookSecret: SECRET });
});
beforeEach(async () => {
  receiver = await createReceiver();
  world.github.setHook({ url: receiver.url, contentType: 'json', echoEvents: false });
});
afterEach(async () => {
  await receiver.close();
  world.github.assertClean();
});
afterAll(() => world.close());

function commentPayload(body = '/agent fix this'): Record<string, unknown> {
  const issue = world.github.addIssue({ repo: world.repo, title: 'Bug', by: 'alice' });
  const comment = world.github.comment({
    repo: world.repo,
    issue: issue.number,
    body,
    by: 'alice',
  });
  return world.github.issueCommentPayload({ repo: world.repo, comment: comment.id });
}

describe('a delivery', () => {
  it('is signed as GitHub’s published example is', async () => {
    await world.github.deliver('ping', {}, { rawJson: 'Hello, World!' });
    expect(receiver.received[0]?.headers['x-hub-signature-256']).toBe(
      'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    );
  });

  it('carries GitHub’s headers in their own spelling', async () => {
    const [delivery] = await world.github.deliver('issue_comment', commentPayload());
    expect(receiver.received[0]?.rawHeaders).toEqual(
      expect.arrayContaining([
        'X-GitHub-Delivery',
        delivery?.guid,
        'X-GitHub-Event',
        'issue_comment',
        'X-Hub-Signature-256',
        'X-GitHub-Hook-ID',
      ]),
    );
    expect(receiver.received[0]?.headers).toMatchObject({
      'user-agent': expect.stringMatching(/^GitHub-Hookshot\//),
      'x-github-hook-installation-target-id': String(world.github.app.id),
      'x-github-hook-installation-target-type': 'integration',
    });
  });

  it('can be a form, signed over the form’s bytes', async () => {
    await world.github.deliver('issue_comment', commentPayload('é😊 & = %'), {
      contentType: 'form',
    });
    const [got] = receiver.received;
    const body = got?.body ?? Buffer.alloc(0);
    expect(got?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(got?.headers['x-hub-signature-256']).toBe(
      `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
    );
    const payload = JSON.parse(new URLSearchParams(body.toString('utf8')).get('payload') ?? '') as {
      comment: { body: string };
    };
    expect(payload.comment.body).toBe('é😊 & = %');
  });

  it('can go unsigned, or under another name than it was sent with', async () => {
    await world.github.deliver('ping', {}, { secret: null });
    expect(receiver.received[0]?.headers).not.toHaveProperty('x-hub-signature-256');
    await world.github.deliver(
      'ping',
      {},
      { headers: { 'x-github-event': 'push', 'X-Hub-Signature': null } },
    );
    expect(receiver.received[1]?.headers['x-github-event']).toBe('push');
    expect(receiver.received[1]?.headers).not.toHaveProperty('x-hub-signature');
  });

  it('goes out twice at once under one GUID when told', async () => {
    const sent = await world.github.deliver('ping', {}, { copies: 2, simultaneous: true });
    expect(new Set(sent.map((one) => one.guid)).size).toBe(1);
    expect(new Set(sent.map((one) => one.id)).size).toBe(2);
    expect(receiver.received).toHaveLength(2);
  });

  it('is given up after its time, is never sent again by itself, and keeps its GUID when asked for again', async () => {
    receiver.answer = null;
    const [first] = await world.github.deliver('ping', {}, { timeoutMs: 50 });
    expect(first).toMatchObject({ status: 'timed out', statusCode: 504 });
    receiver.answer = 200;
    const again = await world.github.redeliver(first?.guid ?? '');
    expect(again).toMatchObject({
      guid: first?.guid,
      redelivery: true,
      status: 'OK',
      statusCode: 200,
    });
    expect(again.id).not.toBe(first?.id);
    expect(receiver.received.map((one) => one.headers['x-github-delivery'])).toEqual([
      first?.guid,
      first?.guid,
    ]);
  });
});

describe('the list of deliveries', () => {
  it('shows failures newest first, pages by cursor, and redelivers on request', async () => {
    receiver.answer = 500;
    const [failed] = await world.github.deliver('issue_comment', commentPayload());
    receiver.answer = 200;
    await world.github.deliver('ping', {});
    const list = await world.app.paginate(world.app.apps.listWebhookDeliveries, { per_page: 1 });
    expect(list.map((one) => one.event).slice(0, 2)).toEqual(['ping', 'issue_comment']);
    const item = list.find((one) => one.guid === failed?.guid);
    expect(item).toMatchObject({
      status: 'Invalid HTTP Response: 500',
      status_code: 500,
      redelivery: false,
    });
    const whole = await world.app.apps.getWebhookDelivery({ delivery_id: item?.id ?? 0 });
    expect(whole.data.request).toMatchObject({
      headers: { 'X-GitHub-Event': 'issue_comment' },
      payload: { action: 'created' },
    });
    await world.app.apps.redeliverWebhookDelivery({ delivery_id: item?.id ?? 0 });
    await world.github.settle();
    expect(world.github.deliveries().at(-1)).toMatchObject({
      guid: failed?.guid,
      redelivery: true,
      statusCode: 200,
    });
  });

  it('forgets after three days', async () => {
    const late = await createWorld();
    try {
      await late.github.deliver('ping', {}, { url: receiver.url });
      const ask = async (): Promise<number> =>
        (await late.app.apps.listWebhookDeliveries()).data.length;
      late.github.advanceClock(2 * 86_400_000);
      expect(await ask()).toBe(1);
      late.github.advanceClock(2 * 86_400_000);
      expect(await ask()).toBe(0);
    } finally {
      await late.close();
    }
  });
});

describe('a payload', () => {
  it('agrees with REST about the comment, the issue and the repository, and names nothing of its example', async () => {
    const payload = commentPayload() as {
      comment: { id: number };
      issue: { number: number };
      installation: { id: number };
    };
    const octokit = world.client(await world.mint());
    const comment = await octokit.issues.getComment({
      ...world.at,
      comment_id: payload.comment.id,
    });
    const issue = await octokit.issues.get({ ...world.at, issue_number: payload.issue.number });
    expect(payload).toMatchObject({
      action: 'created',
      comment: comment.data,
      issue: issue.data,
      sender: { login: 'alice' },
    });
    expect(payload.installation.id).toBe(world.repo.installationId);
    expect(payload).not.toHaveProperty('issue.pull_request');
    expect(JSON.stringify(payload)).not.toMatch(/Codertocat|Octocoders|github\.com/);
  });

  it('tells an edit by what the body was, and a pull request by its key', async () => {
    await world.github.commit({ repo: world.repo, branch: 'p', files: { 'p.txt': 'p\n' } });
    const pull = await world.github.addPull({
      repo: world.repo,
      head: 'p',
      title: 'P',
      by: 'alice',
    });
    const comment = world.github.comment({
      repo: world.repo,
      issue: pull.number,
      body: '/agent fix',
      by: 'alice',
    });
    world.github.editComment(world.repo, comment.id, '/agent review');
    const payload = world.github.issueCommentPayload({
      repo: world.repo,
      comment: comment.id,
      action: 'edited',
      from: '/agent fix',
    });
    expect(payload).toMatchObject({
      action: 'edited',
      changes: { body: { from: '/agent fix' } },
      comment: { body: '/agent review' },
      issue: { pull_request: { url: expect.stringContaining(`/pulls/${pull.number}`) } },
    });
  });

  it('has no author when the account is gone', () => {
    world.github.addUser({ login: 'ghost-to-be' });
    const issue = world.github.addIssue({ repo: world.repo, title: 'Old', by: 'alice' });
    const comment = world.github.comment({
      repo: world.repo,
      issue: issue.number,
      body: 'x',
      by: 'ghost-to-be',
    });
    world.github.deleteUser('ghost-to-be');
    expect(
      world.github.issueCommentPayload({ repo: world.repo, comment: comment.id }),
    ).toMatchObject({ sender: null, comment: { user: null } });
  });

  it('can be of any event that GitHub has an example of', () => {
    const fields = { changes: { repository: { name: { from: 'old' } } } };
    const renamed = world.github.payload({
      repo: world.repo,
      event: 'repository',
      action: 'renamed',
      sender: 'alice',
      fields,
    });
    expect(renamed).toMatchObject({
      action: 'renamed',
      ...fields,
      repository: { id: world.repo.id },
    });
    const suspended = world.github.payload({
      repo: world.repo,
      event: 'installation',
      action: 'suspend',
      sender: 'alice',
    });
    expect(suspended).toMatchObject({
      action: 'suspend',
      installation: {
        id: world.repo.installationId,
        account: { login: 'acme' },
        app_id: world.github.app.id,
      },
      repositories: [{ id: world.repo.id, full_name: 'acme/shop' }],
    });
    expect(JSON.stringify([renamed, suspended])).not.toMatch(/Codertocat|github\.com/);
  });

  it('names the label that was put on an issue', () => {
    const issue = world.github.addIssue({ repo: world.repo, title: 'Label me', by: 'alice' });
    world.github.addLabel({ repo: world.repo, issue: issue.number, label: 'agent', by: 'alice' });
    const payload = world.github.issuePayload({
      repo: world.repo,
      issue: issue.number,
      action: 'labeled',
      label: 'agent',
      sender: 'alice',
    });
    expect(payload).toMatchObject({
      action: 'labeled',
      label: { name: 'agent' },
      issue: { number: issue.number, labels: [{ name: 'agent' }] },
    });
  });

  it('goes out for what our own App did, when echoes are on and only then', async () => {
    const octokit = world.client(await world.mint());
    const issue = world.github.addIssue({ repo: world.repo, title: 'Echo', by: 'alice' });
    const say = (body: string): Promise<unknown> =>
      octokit.issues.createComment({ ...world.at, issue_number: issue.number, body });
    await say('quiet');
    await world.github.settle();
    expect(receiver.received).toHaveLength(0);
    world.github.setHook({ echoEvents: true });
    await say('loud');
    await world.github.settle();
    expect(receiver.received).toHaveLength(1);
    expect(JSON.parse(receiver.received[0]?.body.toString('utf8') ?? '')).toMatchObject({
      action: 'created',
      comment: { body: 'loud', performed_via_github_app: { id: world.github.app.id } },
      sender: { login: 'sallyport[bot]', type: 'Bot', id: world.github.app.botId },
    });
  });
});
