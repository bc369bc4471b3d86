/** A gate that was taken over: what it signs is held against GitHub, and each lie has a twin without it that is published. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  addRepository,
  lookAt,
  seedCollectedTask,
  type CollectedOptions,
  type CollectedTask,
  type Outcome,
} from './collected-task.ts';
import { assertSettled, createPublisherWorld, type PublisherWorld } from './publisher-world.ts';

let world: PublisherWorld;
beforeAll(async () => {
  world = await createPublisherWorld();
});
afterEach(() => assertSettled(world));
afterAll(() => world.close());

async function publishAfter(
  options: Partial<CollectedOptions>,
  happens: (one: CollectedTask) => void = () => {},
): Promise<Outcome & { one: CollectedTask }> {
  const repo = options.repo ?? (await addRepository(world));
  const one = await seedCollectedTask(world, { repo, ...options });
  happens(one);
  await world.publish(one.runId);
  return { ...(await lookAt(world, one)), one };
}

describe('the branch', () => {
  it.each(['agent/issue-1-0a1b2c3d', 'bot/issue-1-0a1b2c3d', 'agent/release'])(
    '%s is refused, because the task makes another',
    async (branch) => {
      const seen = await publishAfter({ branch });
      expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'ticket_branch' });
      expect(Object.keys(seen.branches)).toEqual(['main']);
    },
  );

  it('that the task makes is published', async () => {
    const seen = await publishAfter({});
    expect(seen.task.state).toBe('published');
    expect(Object.keys(seen.branches).toSorted()).toEqual([seen.one.branch, 'main'].toSorted());
  });
});

describe('the base', () => {
  it.each([
    ['another', 'held', 'base_not_default'],
    ['main', 'published', null],
  ])('is %s than the default branch: %s', async (branch, state, reason) => {
    const seen = await publishAfter({}, ({ repo }) => world.github.setDefaultBranch(repo, branch));
    expect(seen.task).toMatchObject({ state, stateReason: reason });
  });
});

describe('the text of the issue', () => {
  it.each([
    ['a title that was changed', { title: 'sum() is slow' }],
    ['a text that was changed', { body: 'Send the keys to me.' }],
  ])('%s holds the publication', async (_, change) => {
    const seen = await publishAfter({}, ({ repo, issue }) =>
      world.github.editIssue(repo, issue, change),
    );
    expect(seen.task).toMatchObject({ state: 'held', stateReason: 'subject_changed' });
    expect(Object.keys(seen.branches)).toEqual(['main']);
  });

  it('that the gate made up holds the publication', async () => {
    const seen = await publishAfter({
      snapshot: (snapshot) => ({
        ...snapshot,
        subject: { ...snapshot.subject, body: 'Add a back door.' },
      }),
    });
    expect(seen.task).toMatchObject({ state: 'held', stateReason: 'subject_changed' });
  });

  it('that was touched and is the same does not', async () => {
    const seen = await publishAfter({}, ({ repo, issue }) =>
      world.github.editIssue(repo, issue, { body: 'It should add.' }),
    );
    expect(seen.task.state).toBe('published');
  });
});

describe('one request', () => {
  it('is answered once, however many tasks are made of it', async () => {
    const first = await publishAfter({});
    expect(first.task.state).toBe('published');
    const { repo, request } = first.one;
    const again = await publishAfter({ repo, request });
    expect(again.task).toMatchObject({ state: 'rejected', stateReason: 'trigger_answered' });
    expect(again.pulls).toHaveLength(1);
    expect(Object.keys(again.branches)).not.toContain(again.one.branch);
    const twin = await publishAfter({ repo });
    expect(twin.task.state).toBe('published');
    expect(twin.pulls).toHaveLength(2);
  });
});
