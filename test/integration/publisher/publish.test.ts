/** From a collected run to a draft pull request, and the ways in which it comes to no more than one. */
import { findRunToImport } from '@sallyport/shared/db/bundle-import';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { importRun } from '../../../services/publisher/src/importer/import-run.ts';
import { advancePublication } from '../../../services/publisher/src/publisher/publish/advance.ts';
import { TOKEN_ACTS } from '../../../services/publisher/src/publisher/github/token-acts.ts';
import {
  addRepository,
  BASE_FILES,
  FIX,
  lookAt,
  REQUESTER,
  seedCollectedTask,
} from './collected-task.ts';
import { assertSettled, createPublisherWorld, type PublisherWorld } from './publisher-world.ts';

let world: PublisherWorld;
beforeAll(async () => {
  world = await createPublisherWorld();
});
afterEach(() => assertSettled(world));
afterAll(() => world.close());

describe('publishing', () => {
  it('turns a collected run into one commit on the start commit and a draft pull request', async () => {
    const repo = await addRepository(world);
    const one = await seedCollectedTask(world, {
      repo,
      summary: 'Adds now. Fixes #999. @everyone look <!-- hidden -->',
    });
    await world.publish(one.runId);
    const seen = await lookAt(world, one);
    expect(seen.task.state).toBe('published');
    expect(Object.keys(seen.branches).toSorted()).toEqual([one.branch, 'main'].toSorted());
    expect(seen.branches['main']).toBe(repo.headSha);

    const commit = await world.github.commitInfo(repo, one.branch);
    expect(commit.parents).toEqual([repo.headSha]);
    expect(commit.author).toMatchObject({
      name: world.github.app.botLogin,
      email: `${world.github.app.botId}+${world.github.app.botLogin}@users.noreply.github.com`,
    });
    expect(commit.message).not.toMatch(/fixes|closes|mallory/i);
    expect(seen.branches[one.branch]).not.toBe(one.agentCommit);
    expect(await world.github.fileText(repo, one.branch, 'src/sum.js')).toBe(FIX['src/sum.js']);
    expect(await world.github.fileText(repo, one.branch, 'README.md')).toBe(
      BASE_FILES['README.md'],
    );

    expect(seen.pulls).toHaveLength(1);
    expect(seen.pulls[0]).toMatchObject({
      draft: true,
      state: 'open',
      base: { ref: 'main' },
      head: { ref: one.branch },
    });
    const body = String(seen.pulls[0]?.['body']);
    expect(body).toContain(`<!-- sallyport task=${one.taskId} -->`);
    expect(body).toContain(`Fixes #${one.issue}`);
    expect(body).toContain(`@${REQUESTER}`);
    expect(body).toContain(repo.headSha);
    expect(body).toContain('| `developer` | 1.1 | no |');
    expect(body).toContain('> Adds now.');
    expect(body).not.toMatch(/Fixes #999|hidden/);
    expect(body).not.toMatch(/(^|\s)@everyone/);

    expect(seen.comments).toHaveLength(1);
    expect(seen.comments[0]).toContain(`#${seen.publication?.pullNumber}`);
    expect(seen.publication).toMatchObject({
      headSha: seen.branches[one.branch],
      treeOid: commit.tree,
    });
    expect(seen.kinds.filter((kind) => !kind.startsWith('token_'))).toEqual([
      'verdict_given',
      'pushed',
      'published',
    ]);
    expect(seen.events.find((event) => event.kind === 'published')?.data).toMatchObject({
      number: seen.publication?.pullNumber,
      branch: one.branch,
      headSha: seen.branches[one.branch],
      baseSha: repo.headSha,
    });
    expect(seen.verdict).toMatchObject({ decision: 'publish', tree_oid: commit.tree });
  });

  it('mints for each act a token of its own, for one repository, with that act alone', async () => {
    const before = world.github.tokens().length;
    const repo = await addRepository(world);
    const one = await seedCollectedTask(world, { repo });
    await world.publish(one.runId);
    const tokens = world.github.tokens().slice(before);
    const allowed = Object.values(TOKEN_ACTS).map((permissions) =>
      JSON.stringify(sorted(permissions)),
    );
    for (const token of tokens) {
      expect(token.repositoryIds).toEqual([repo.id]);
      expect(allowed).toContain(JSON.stringify(sorted(token.permissions)));
      expect(token.revokedAt).not.toBeNull();
    }
    const seen = await lookAt(world, one);
    const minted = seen.events
      .filter((event) => event.kind === 'token_minted')
      .map((event) => event.data['act']);
    expect(minted).toEqual([
      'confirm_trigger',
      'read_source',
      'confirm_trigger',
      'read_all_protection',
      'push',
      // Once more, directly before the push and while its token lives.
      'read_all_protection',
      'open_pull',
      'post_comment',
    ]);
    expect(seen.kinds.filter((kind) => kind === 'token_revoked')).toHaveLength(minted.length);
    expect(tokens).toHaveLength(minted.length);
    const { rows } = await world.deployment.admin.query(
      'select kind from privileged_act where task_id = $1 order by seq',
      [one.taskId],
    );
    expect(rows).toHaveLength(2 * minted.length);
  });

  it('does every step once when two publishers are at it at once', async () => {
    const repo = await addRepository(world);
    const one = await seedCollectedTask(world, { repo });
    const other = world.anotherPublisher();
    await advancePublication(world.publisher, one.runId);
    await importRun(world.importer, one.runId);
    await Promise.all(
      [1, 2].flatMap(() =>
        [world.publisher, other].map((context) => advancePublication(context, one.runId)),
      ),
    );
    const seen = await lookAt(world, one);
    expect(seen.task.state).toBe('published');
    expect(seen.pulls).toHaveLength(1);
    expect(seen.comments).toHaveLength(1);
    expect(world.github.pushes().filter((push) => push.repoId === repo.id)).toHaveLength(1);
    expect(
      seen.kinds.filter((kind) => ['verdict_given', 'pushed', 'published'].includes(kind)),
    ).toHaveLength(3);
  });

  it('asks the importer once, and again only when it has long been silent', async () => {
    const repo = await addRepository(world);
    const one = await seedCollectedTask(world, { repo });
    await advancePublication(world.publisher, one.runId);
    await advancePublication(world.publisher, one.runId);
    const { rows } = await world.deployment.admin.query(
      `select data from outbox where queue = 'import' and data ->> 'runId' = $1`,
      [one.runId],
    );
    expect(rows).toEqual([{ data: { v: 1, runId: one.runId } }]);
    expect((await lookAt(world, one)).task.state).toBe('judging');
    expect(await findRunToImport(world.deployment.pool('importer'), one.runId)).toMatchObject({
      taskId: one.taskId,
    });
  });

  it('rejects a run that ended without a change, and says so on the issue', async () => {
    const repo = await addRepository(world);
    const one = await seedCollectedTask(world, { repo, changed: false });
    await world.publish(one.runId);
    const seen = await lookAt(world, one);
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'empty_change' });
    expect(Object.keys(seen.branches)).toEqual(['main']);
    expect(seen.comments).toHaveLength(1);
  });
});

function sorted(permissions: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(permissions).toSorted(([left], [right]) => (left < right ? -1 : 1));
}
