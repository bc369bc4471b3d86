/** Lost replies, halts and bad days of GitHub: everything is done once all the same, or waits and is not lost. */
import { liftHalt, setHalt } from '@sallyport/shared/db/halt';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { importRun } from '../../services/publisher/src/importer/import-run.ts';
import type { PublisherContext } from '../../services/publisher/src/publisher/context.ts';
import { advancePublication } from '../../services/publisher/src/publisher/publish/advance.ts';
import { sweepPublications } from '../../services/publisher/src/publisher/publish/sweep.ts';
import {
  addRepository,
  lookAt,
  seedCollectedTask,
  type CollectedTask,
  type Outcome,
} from '../integration/publisher/collected-task.ts';
import {
  assertSettled,
  createPublisherWorld,
  type PublisherWorld,
} from '../integration/publisher/publisher-world.ts';

let world: PublisherWorld;
beforeAll(async () => {
  world = await createPublisherWorld();
});
afterEach(() => assertSettled(world));
afterAll(() => world.close());

/** A task whose bundle is imported: the next pass pushes. */
async function readyToPush(): Promise<CollectedTask> {
  const one = await seedCollectedTask(world, { repo: await addRepository(world) });
  await advancePublication(world.publisher, one.runId);
  await importRun(world.importer, one.runId);
  return one;
}

const ONCE = {
  state: 'published',
  branches: 2,
  pulls: 1,
  comments: 1,
  events: ['verdict_given', 'pushed', 'published'],
};

/** How much there is of what may be there once. */
function countsIn(seen: Outcome): typeof ONCE {
  return {
    state: seen.task.state,
    branches: Object.keys(seen.branches).length,
    pulls: seen.pulls.length,
    comments: seen.comments.length,
    events: seen.kinds.filter((kind) => ONCE.events.includes(kind)),
  };
}

async function countsOf(one: CollectedTask): Promise<typeof ONCE> {
  return countsIn(await lookAt(world, one));
}

describe('a lost reply', () => {
  it('to the opening of the pull request: the one that was opened is adopted', async () => {
    const one = await readyToPush();
    world.github.fault({ match: { method: 'POST', path: /\/pulls$/ }, cut: 'after' });
    await advancePublication(world.publisher, one.runId);
    const seen = await lookAt(world, one);
    expect(countsIn(seen)).toEqual(ONCE);
    expect(seen.events.find((event) => event.kind === 'published')?.data).toMatchObject({
      adopted: true,
    });
  });

  it('to the push: the branch that is there is adopted', async () => {
    const one = await readyToPush();
    world.github.fault({ match: 'git-push', cut: 'after' });
    await advancePublication(world.publisher, one.runId);
    const seen = await lookAt(world, one);
    expect(countsIn(seen)).toEqual(ONCE);
    expect(seen.events.find((event) => event.kind === 'pushed')?.data).toMatchObject({
      adopted: true,
    });
  });

  it('to the comment: there is one', async () => {
    const one = await readyToPush();
    world.github.fault({ match: { method: 'POST', path: /\/comments$/ }, cut: 'after' });
    await expect(advancePublication(world.publisher, one.runId)).rejects.toMatchObject({
      code: 'transient',
    });
    expect((await lookAt(world, one)).task.state).toBe('judging');
    await advancePublication(world.publisher, one.runId);
    expect(await countsOf(one)).toEqual(ONCE);
  });

  it('to everything but the request itself: nothing happened, and it is done on the next pass', async () => {
    const one = await readyToPush();
    world.github.fault({ match: 'git-push', cut: 'before' });
    world.github.fault({ match: { method: 'POST', path: /\/pulls$/ }, cut: 'before' });
    world.github.fault({ match: { method: 'POST', path: /\/comments$/ }, cut: 'before' });
    for (const pass of [1, 2, 3]) {
      await expect(
        advancePublication(world.publisher, one.runId),
        `pass ${pass}`,
      ).rejects.toMatchObject({ code: 'transient' });
    }
    await advancePublication(world.publisher, one.runId);
    expect(await countsOf(one)).toEqual(ONCE);
  });

  it('to the minting of a token: another is minted, and the lost one is not ours to use', async () => {
    const one = await readyToPush();
    world.github.fault({ match: { method: 'POST', path: /access_tokens$/ }, cut: 'after' });
    await expect(advancePublication(world.publisher, one.runId)).rejects.toMatchObject({
      code: 'transient',
    });
    await advancePublication(world.publisher, one.runId);
    expect(await countsOf(one)).toEqual(ONCE);
    world.github.revokeTokens();
  });
});

describe('a ticket that is revoked while the publisher is on its way', () => {
  /** Calls back when the halt has been asked so many times: once at the beginning, then before each effect. */
  function watched(askedTimes: number, happens: () => Promise<unknown>): PublisherContext {
    let asked = 0;
    return {
      ...world.publisher,
      halt: {
        async assertClear(repositoryId) {
          await world.halt.assertClear(repositoryId);
          asked += 1;
          if (asked === askedTimes) await happens();
        },
      },
    };
  }

  it('permits no push any more, and the next pass says so', async () => {
    const one = await readyToPush();
    const revoke = () =>
      world.deployment.admin.query('update ticket set revoked_at = now() where jti = $1', [
        one.jti,
      ]);
    await expect(advancePublication(watched(2, revoke), one.runId)).rejects.toMatchObject({
      code: 'ticket_invalid',
    });
    expect(Object.keys((await lookAt(world, one)).branches)).toEqual(['main']);
    await advancePublication(world.publisher, one.runId);
    const seen = await lookAt(world, one);
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'ticket_revoked' });
    expect(Object.keys(seen.branches)).toEqual(['main']);
  });

  it('and one that is not revoked is published in that same pass', async () => {
    const one = await readyToPush();
    await advancePublication(
      watched(2, () => Promise.resolve()),
      one.runId,
    );
    expect(await countsOf(one)).toEqual(ONCE);
  });
});

describe('bad days', () => {
  it('a server error leaves the task judging and visible, and the sweep goes on with it', async () => {
    const one = await readyToPush();
    world.github.fault({
      match: { method: 'GET', path: /\/rules\/branches\// },
      status: 502,
      body: '<html>',
    });
    await expect(advancePublication(world.publisher, one.runId)).rejects.toMatchObject({
      code: 'transient',
    });
    expect((await lookAt(world, one)).task).toMatchObject({ state: 'judging' });
    world.publisher.backoff.forget(one.runId);
    await world.deployment.admin.query(
      `update task set moved_at = now() - interval '1 minute' where id = $1`,
      [one.taskId],
    );
    await sweepPublications(world.publisher);
    expect(await countsOf(one)).toEqual(ONCE);
  });

  it('a rate limit is waited for, and costs nothing', async () => {
    const one = await readyToPush();
    world.github.fault({
      match: { method: 'POST', path: /\/pulls$/ },
      status: 403,
      headers: { 'retry-after': '30' },
      body: {
        message: 'You have exceeded a secondary rate limit.',
        documentation_url:
          'https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api',
      },
    });
    await advancePublication(world.publisher, one.runId);
    expect((await lookAt(world, one)).task.state).toBe('judging');
    expect(world.publisher.backoff.isDue(one.runId)).toBe(false);
    await advancePublication(world.publisher, one.runId);
    expect(await countsOf(one)).toEqual(ONCE);
  });

  it('a repository that was renamed meanwhile is found by its id', async () => {
    const one = await readyToPush();
    world.github.renameRepo(one.repo, { name: `renamed-${one.repo.id}`, redirect: 301 });
    await advancePublication(world.publisher, one.runId);
    expect(await countsOf(one)).toEqual(ONCE);
  });

  it('an App that was installed anew is found by its repository', async () => {
    const one = await readyToPush();
    world.github.reinstall(one.repo.installationId ?? 0);
    await advancePublication(world.publisher, one.runId);
    expect(await countsOf(one)).toEqual(ONCE);
  });

  it('a locked issue takes no comment, and the pull request stands', async () => {
    const one = await readyToPush();
    world.github.fault({
      match: { method: 'POST', path: /\/comments$/ },
      status: 403,
      body: { message: 'Unable to create comment because issue is locked.' },
    });
    await advancePublication(world.publisher, one.runId);
    const seen = await lookAt(world, one);
    expect(seen.task.state).toBe('published');
    expect(seen.comments).toEqual([]);
    expect(seen.publication?.commentedAt).toBeNull();
  });

  it('a suspended installation holds the publication and is remembered as suspended', async () => {
    const repo = await addRepository(world);
    const id = repo.installationId ?? 0;
    const one = await seedCollectedTask(world, { repo });
    world.github.setInstallation(id, { suspended: true });
    await world
      .publish(one.runId)
      .finally(() => world.github.setInstallation(id, { suspended: false }));
    expect((await lookAt(world, one)).task).toMatchObject({
      state: 'held',
      stateReason: 'installation_suspended',
    });
    const { rows } = await world.deployment.admin.query(
      'select state from installation where id = $1',
      [id],
    );
    expect(rows).toEqual([{ state: 'suspended' }]);
  });
});

describe('a halt', () => {
  it.each(['all', 'repository'] as const)(
    'of %s: nothing begins; lifted, it is published',
    async (scope) => {
      const one = await readyToPush();
      const operator = world.deployment.pool('operator');
      const name = scope === 'all' ? 'all' : `repo:${one.repo.id}`;
      const asked = world.github.requests().length;
      await setHalt(operator, name, 'drain', 'looking into it', 'someone');
      await advancePublication(world.publisher, one.runId);
      expect((await lookAt(world, one)).task.state).toBe('judging');
      expect(world.github.requests()).toHaveLength(asked);
      await liftHalt(operator, name, 'someone');
      await advancePublication(world.publisher, one.runId);
      expect(await countsOf(one)).toEqual(ONCE);
    },
  );

  it('that comes between push and pull request stops there, and goes on after it', async () => {
    const one = await readyToPush();
    const operator = world.deployment.pool('operator');
    const halted = new Promise<void>((resolve, reject) => {
      const timer = setInterval(() => {
        if (!world.github.pushes().some((push) => push.repoId === one.repo.id)) return;
        clearInterval(timer);
        setHalt(operator, 'all', 'drain', 'looking into it', 'someone').then(
          () => resolve(),
          reject,
        );
      }, 5);
    });
    // The push is answered late, so that the halt is set before the next step begins.
    world.github.fault({ match: { method: 'GET', path: /\/git\/commits\// }, delayMs: 1_000 });
    await Promise.all([halted, advancePublication(world.publisher, one.runId)]);
    const seen = await lookAt(world, one);
    expect(Object.keys(seen.branches)).toContain(one.branch);
    expect(seen.pulls).toEqual([]);
    await liftHalt(operator, 'all', 'someone');
    await advancePublication(world.publisher, one.runId);
    expect(await countsOf(one)).toEqual(ONCE);
  });
});
