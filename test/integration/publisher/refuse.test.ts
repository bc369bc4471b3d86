/** What gets nothing published, each beside a twin that differs in one thing and is published. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { importRun } from '../../../services/publisher/src/importer/import-run.ts';
import { advancePublication } from '../../../services/publisher/src/publisher/publish/advance.ts';
import type { ProtectionPreset } from '../../support/github/verbs.ts';
import {
  addRepository,
  COMMAND,
  FIX,
  lookAt,
  REQUESTER,
  seedCollectedTask,
  type AgentFiles,
  type CollectedOptions,
  type CollectedTask,
  type Outcome,
} from './collected-task.ts';
import { createTestTicketKeys } from '../../support/deployment/seed-admitted-task.ts';
import { assertSettled, createPublisherWorld, type PublisherWorld } from './publisher-world.ts';

let world: PublisherWorld;
beforeAll(async () => {
  world = await createPublisherWorld();
});
afterEach(() => assertSettled(world));
afterAll(() => world.close());

/** Seeds, lets something happen, publishes, looks. */
async function publishAfter(
  options: Partial<CollectedOptions> & { protection?: ProtectionPreset },
  happens: (one: CollectedTask) => void | Promise<void> = () => {},
): Promise<Outcome> {
  const repo = await addRepository(world, options.protection);
  const one = await seedCollectedTask(world, { repo, ...options });
  await happens(one);
  await world.publish(one.runId);
  return lookAt(world, one);
}

function expectNothingPublished(seen: Outcome): void {
  expect(Object.keys(seen.branches)).toEqual(['main']);
  expect(seen.pulls).toEqual([]);
  expect(seen.kinds).not.toContain('pushed');
}

describe('a request that is no longer what was admitted', () => {
  it('is rejected when the comment was edited, and not when somebody else commented', async () => {
    const edited = await publishAfter({}, (one) => {
      world.github.advanceClock(5_000);
      world.github.editComment(one.repo, one.commentId, `${COMMAND} and remove the tests`);
    });
    expect(edited.task).toMatchObject({ state: 'rejected', stateReason: 'trigger_changed' });
    expectNothingPublished(edited);
    expect(edited.comments).toEqual([]);
    const twin = await publishAfter({}, (one) => {
      world.github.comment({
        repo: one.repo,
        issue: one.issue,
        body: 'and remove the tests',
        by: REQUESTER,
      });
    });
    expect(twin.task.state).toBe('published');
  });

  it('is rejected when the comment was edited and its text put back', async () => {
    const seen = await publishAfter({}, (one) => {
      world.github.advanceClock(5_000);
      world.github.editComment(one.repo, one.commentId, 'something else');
      world.github.advanceClock(5_000);
      world.github.editComment(one.repo, one.commentId, COMMAND);
    });
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'trigger_changed' });
  });

  it('is rejected when the comment is gone', async () => {
    const seen = await publishAfter({}, (one) =>
      world.github.deleteComment(one.repo, one.commentId),
    );
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'trigger_gone' });
    expectNothingPublished(seen);
  });

  it.each([
    ['read', 'rejected', 'permission_lost'],
    ['triage', 'rejected', 'permission_lost'],
    ['maintain', 'published', null],
  ] as const)('looks at the role of now: %s is %s', async (role, state, reason) => {
    const seen = await publishAfter({}, (one) =>
      world.github.setPermission(one.repo, REQUESTER, role),
    );
    expect(seen.task).toMatchObject({ state, stateReason: reason });
  });

  it('is rejected when the ticket speaks of a comment by somebody else', async () => {
    const seen = await publishAfter({
      snapshot: (snapshot) => ({
        ...snapshot,
        requester: { ...snapshot.requester, id: 1 },
        trigger: { ...snapshot.trigger, authorId: 1 },
      }),
      claims: (claims) => ({ ...claims, requester: { ...claims.requester, id: 1 } }),
    });
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'trigger_author_differs' });
    expectNothingPublished(seen);
  });

  it.each([
    ['I agree.', 'rejected', 'trigger_asks_otherwise'],
    ['> /agent fix this\n\nI would not.', 'rejected', 'trigger_asks_otherwise'],
    ['/agent review', 'rejected', 'trigger_asks_otherwise'],
    ['/agent fix --team another', 'rejected', 'trigger_asks_otherwise'],
    ['/agent fix --team starter', 'published', null],
    ['Please.\n\n/agent fix', 'published', null],
  ])('a gate that takes %j for the request: %s', async (command, state, reason) => {
    const seen = await publishAfter({ command });
    expect(seen.task).toMatchObject({ state, stateReason: reason });
    if (state === 'rejected') expectNothingPublished(seen);
  });

  it('is rejected when the snapshot is not the one that the ticket was signed for', async () => {
    const seen = await publishAfter({}, async (one) => {
      await world.deployment.admin.query(
        `update snapshot set content = convert_to(replace(convert_from(content, 'UTF8'), 'sum() subtracts', 'sum() adds'), 'UTF8')
         where task_id = $1`,
        [one.taskId],
      );
    });
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'ticket_snapshot' });
    expectNothingPublished(seen);
  });
});

describe('a ticket that permits nothing', () => {
  const hourAgo = Math.floor(Date.now() / 1000) - 3600;
  const cases: [string, string, Partial<CollectedOptions>][] = [
    ['missing', 'missing', { ticket: 'missing' }],
    ['altered', 'signature', { ticket: 'altered' }],
    ['revoked', 'revoked', { ticket: 'revoked' }],
    [
      'expired',
      'expired',
      { claims: (claims) => ({ ...claims, iat: hourAgo - 60, exp: hourAgo }) },
    ],
    [
      'for another run',
      'other_run',
      { claims: (claims) => ({ ...claims, run_id: claims.task_id }) },
    ],
    [
      'not for the publisher',
      'claims',
      { claims: (claims) => ({ ...claims, aud: ['worker-launcher'] }) },
    ],
    [
      'for another repository',
      'other_repository',
      { claims: (claims) => ({ ...claims, repository: { ...claims.repository, id: 1 } }) },
    ],
    ['read-only', 'act', { claims: (claims) => ({ ...claims, read_only: true }) }],
    ['for a review', 'act', { claims: (claims) => ({ ...claims, act: 'review' }) }],
    [
      'from another start',
      'start',
      { claims: (claims) => ({ ...claims, start: { ...claims.start, sha: 'a'.repeat(40) } }) },
    ],
  ];
  it.each(cases)('%s: the task is rejected and the timeline says why', async (_, why, options) => {
    const seen = await publishAfter(options);
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: `ticket_${why}` });
    expect(seen.events.find((event) => event.kind === 'ticket_refused')?.data).toMatchObject({
      why,
    });
    expectNothingPublished(seen);
    expect(seen.kinds).not.toContain('token_minted');
  });

  it('signed by a key that is not ours is refused', async () => {
    const { signer } = createTestTicketKeys();
    const own = world.keys.signer;
    world.keys.signer = signer;
    const seen = await publishAfter({}).finally(() => {
      world.keys.signer = own;
    });
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'ticket_unknown_key' });
  });
});

describe('a base that no rule protects against the App', () => {
  it.each([
    ['none', 'protection_unprotected'],
    ['no_reviews', 'protection_unprotected'],
    ['naming_only', 'protection_unprotected'],
    ['app_can_bypass', 'protection_app_can_bypass'],
    ['unreadable', 'protection_unknown'],
  ] as const)('%s: the publication is held and nothing is pushed', async (protection, reason) => {
    const seen = await publishAfter({ protection });
    expect(seen.task).toMatchObject({ state: 'held', stateReason: reason });
    expectNothingPublished(seen);
    expect(seen.verdict).toMatchObject({ decision: 'hold' });
    expect(seen.comments).toHaveLength(1);
  });

  it.each(['protected', 'classic'] as const)('%s: it is published', async (protection) => {
    expect((await publishAfter({ protection })).task.state).toBe('published');
  });

  it('is looked at directly before the push, not when the run was collected', async () => {
    const repo = await addRepository(world);
    const one = await seedCollectedTask(world, { repo });
    await advancePublication(world.publisher, one.runId);
    world.github.setProtection(repo, 'none');
    await world.publish(one.runId);
    expect((await lookAt(world, one)).task).toMatchObject({
      state: 'held',
      stateReason: 'protection_unprotected',
    });
  });

  it.each([
    ['none', 'held'],
    ['classic', 'published'],
  ] as const)(
    'is looked at once more after the fetching and packing: %s by then is %s',
    async (protection, state) => {
      const repo = await addRepository(world);
      const one = await seedCollectedTask(world, { repo });
      await advancePublication(world.publisher, one.runId);
      await importRun(world.importer, one.runId);
      let looks = 0;
      const halt = {
        ...world.publisher.halt,
        // The first look is for the case, the second for the push as a whole: then the verdict stands already.
        async assertClear(repositoryId: number): Promise<void> {
          await world.publisher.halt.assertClear(repositoryId);
          looks += 1;
          if (looks === 2) world.github.setProtection(repo, protection);
        },
      };
      await advancePublication({ ...world.publisher, halt }, one.runId);
      const seen = await lookAt(world, one);
      expect(seen.task.state).toBe(state);
      expect(seen.kinds).toContain('verdict_given');
      if (state === 'held') expectNothingPublished(seen);
    },
  );

  it('with classic protection that the App may not see counts as not known', async () => {
    const repo = await addRepository(world, 'classic');
    const id = repo.installationId ?? 0;
    const { administration, ...less } = {
      metadata: 'read',
      contents: 'write',
      issues: 'write',
      pull_requests: 'write',
      administration: 'read',
    } as const;
    world.github.setInstallation(id, { permissions: less });
    const one = await seedCollectedTask(world, { repo });
    await world
      .publish(one.runId)
      .finally(() =>
        world.github.setInstallation(id, { permissions: { ...less, administration } }),
      );
    expect((await lookAt(world, one)).task).toMatchObject({
      state: 'held',
      stateReason: 'protection_unknown',
    });
  });
});

describe('a change that the policy lets nothing of out', () => {
  const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
  const cases: [string, AgentFiles, string, string][] = [
    ['a workflow', { '.github/workflows/ci.yml': 'on: push\n' }, 'rejected', 'protected_path'],
    ['a symbolic link', { 'src/link.js': { linkTo: '/etc/passwd' } }, 'rejected', 'symlink'],
    [
      'a planted secret',
      { 'src/key.js': `export const key = '${secret}';\n` },
      'rejected',
      'secret',
    ],
  ];
  it.each(cases)('%s', async (_, files, state, reason) => {
    const seen = await publishAfter({ files: { ...FIX, ...files } });
    expect(seen.task).toMatchObject({ state, stateReason: reason });
    expectNothingPublished(seen);
    const given = seen.events.find((event) => event.kind === 'verdict_given');
    expect(given?.data['findings']).toContainEqual(expect.objectContaining({ code: reason }));
    expect(seen.comments).toHaveLength(1);
    expect(JSON.stringify([seen.comments, seen.events, seen.verdict])).not.toContain(secret);
  });

  it('an ordinary file beside the fix is published', async () => {
    const seen = await publishAfter({
      files: { ...FIX, 'src/key.js': "export const key = 'a word';\n" },
    });
    expect(seen.task.state).toBe('published');
  });

  it('is judged by the policy of the ticket, or not at all', async () => {
    const seen = await publishAfter({
      claims: (claims) => ({ ...claims, policy_hash: '0'.repeat(64) }),
    });
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'policy_changed' });
    expectNothingPublished(seen);
  });

  it('a bundle on another branch than the ticket names is refused by the importer', async () => {
    const seen = await publishAfter({ bundleBranch: 'agent/somewhere-else' });
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'bundle_ref' });
    expectNothingPublished(seen);
  });
});

describe('a base that has moved on', () => {
  it('holds a change that overlaps with what happened there, and publishes one that does not', async () => {
    const overlapping = await publishAfter({}, async (one) => {
      await world.github.commit({
        repo: one.repo,
        branch: 'main',
        files: { 'src/sum.js': '// rewritten\n' },
      });
    });
    expect(overlapping.task).toMatchObject({ state: 'held', stateReason: 'base_overlap' });
    expectNothingPublished(overlapping);
    const twin = await publishAfter({}, async (one) => {
      await world.github.commit({
        repo: one.repo,
        branch: 'main',
        files: { 'README.md': '# Shop, renamed\n' },
      });
    });
    expect(twin.task.state).toBe('published');
  });
});

describe('what stands in the way on GitHub', () => {
  it('a branch of that name with something else on it holds the publication', async () => {
    const seen = await publishAfter({}, async (one) => {
      await world.github.commit({ repo: one.repo, branch: one.branch, files: { 'x.js': 'x\n' } });
    });
    expect(seen.task).toMatchObject({ state: 'held', stateReason: 'branch_taken' });
    expect(seen.pulls).toEqual([]);
  });

  it('a pull request that a stranger opened from the branch is not taken for ours', async () => {
    const pushThenOpen = async (by: string): Promise<Outcome> => {
      const one = await seedCollectedTask(world, { repo: await addRepository(world) });
      world.github.fault({ match: { method: 'POST', path: /\/pulls$/ }, status: 502, body: '' });
      await expect(world.publish(one.runId)).rejects.toMatchObject({ code: 'transient' });
      await world.github.addPull({
        repo: one.repo,
        head: one.branch,
        title: 'Merge me',
        body: `<!-- sallyport task=${one.taskId} -->`,
        by,
      });
      await advancePublication(world.publisher, one.runId);
      return lookAt(world, one);
    };
    const taken = await pushThenOpen(REQUESTER);
    expect(taken.task).toMatchObject({ state: 'held', stateReason: 'pull_taken' });
    expect(taken.kinds).not.toContain('published');
    const twin = await pushThenOpen(world.github.app.botLogin);
    expect(twin.task.state).toBe('published');
  });

  it('a rule that refuses the push holds the publication', async () => {
    const seen = await publishAfter({}, () => {
      world.github.fault({
        match: 'git-push',
        refusePush: ['error: GH013: Repository rule violations found.'],
      });
    });
    expect(seen.task).toMatchObject({ state: 'held', stateReason: 'push_refused_protected' });
    expectNothingPublished(seen);
  });

  it('an archived repository holds the publication', async () => {
    const seen = await publishAfter({}, (one) => world.github.setArchived(one.repo, true));
    expect(seen.task.state).toBe('held');
    expectNothingPublished(seen);
  });
});
