/** The importer on its own: what it reads, what it leaves behind, and what it cannot be made to do. */
import { DEFAULT_IMPORT_LIMITS } from '@sallyport/git/import-limits';
import { findNewestArtifact, readArtifact, storeArtifact } from '@sallyport/shared/artifacts/store';
import { findBundleImport } from '@sallyport/shared/db/bundle-import';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importRun } from '../../../services/publisher/src/importer/import-run.ts';
import { decodeImportRecord } from '../../../services/publisher/src/import-record.ts';
import { advancePublication } from '../../../services/publisher/src/publisher/publish/advance.ts';
import {
  addRepository,
  FIX,
  seedCollectedTask,
  type CollectedOptions,
  type CollectedTask,
} from './collected-task.ts';
import { createPublisherWorld, type PublisherWorld } from './publisher-world.ts';

let world: PublisherWorld;
beforeAll(async () => {
  world = await createPublisherWorld();
});
afterAll(() => world.close());

/** A run whose source is stored and whose import has been asked for. */
async function askedToImport(options: Partial<CollectedOptions> = {}): Promise<CollectedTask> {
  const one = await seedCollectedTask(world, { repo: await addRepository(world), ...options });
  await advancePublication(world.publisher, one.runId);
  return one;
}

describe('importing a run', () => {
  it('stores the facts and a pack that the publisher alone may read', async () => {
    const one = await askedToImport();
    await importRun(world.importer, one.runId);
    const row = await findBundleImport(world.deployment.pool('publisher'), one.runId);
    expect(row).toMatchObject({ ok: true, reason: null });
    const bytes = await readArtifact(
      world.deployment.pool('publisher'),
      row?.factsArtifactId ?? '',
      1_000_000,
    );
    const { facts, contents, basePaths } = decodeImportRecord(bytes);
    expect(facts).toMatchObject({
      base: one.repo.headSha,
      headOid: one.agentCommit,
      ref: `refs/heads/${one.branch}`,
    });
    expect(facts.changes.map(({ path, status }) => [path, status])).toEqual([
      ['src/sum.js', 'modified'],
    ]);
    expect([...contents.values()].map((content) => Buffer.from(content).toString())).toContain(
      FIX['src/sum.js'],
    );
    expect(basePaths?.toSorted()).toEqual(['README.md', 'src/sum.js']);
    await expect(
      readArtifact(world.deployment.pool('worker-launcher'), row?.packArtifactId ?? '', 1_000_000),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('imports once when it is asked twice at once', async () => {
    const one = await askedToImport();
    await Promise.all([importRun(world.importer, one.runId), importRun(world.importer, one.runId)]);
    const { rows } = await world.deployment.admin.query(
      'select ok from bundle_import where run_id = $1',
      [one.runId],
    );
    expect(rows).toEqual([{ ok: true }]);
    const before = await findNewestArtifact(
      world.deployment.pool('publisher'),
      'import_facts',
      one.taskId,
    );
    await importRun(world.importer, one.runId);
    expect(
      await findNewestArtifact(world.deployment.pool('publisher'), 'import_facts', one.taskId),
    ).toEqual(before);
  });

  it('does nothing without the source, and leaves the question open', async () => {
    const one = await seedCollectedTask(world, { repo: await addRepository(world) });
    await expect(importRun(world.importer, one.runId)).rejects.toMatchObject({ code: 'not_found' });
    expect(await findBundleImport(world.importer.db, one.runId)).toBeNull();
  });

  it('does nothing for a ticket that is refused', async () => {
    const one = await askedToImport();
    await world.deployment.admin.query('update ticket set revoked_at = now() where jti = $1', [
      one.jti,
    ]);
    await expect(importRun(world.importer, one.runId)).rejects.toMatchObject({
      code: 'ticket_invalid',
      detail: { why: 'revoked' },
    });
    expect(await findBundleImport(world.importer.db, one.runId)).toBeNull();
  });

  it('refuses a bundle that is none, with the reason', async () => {
    const one = await askedToImport();
    const junk = await storeArtifact(world.deployment.pool('worker-launcher'), {
      kind: 'bundle',
      taskId: one.taskId,
      bytes: [Buffer.from('junk')],
    });
    await world.deployment.admin.query('update run set bundle_artifact_id = $2 where id = $1', [
      one.runId,
      junk.id,
    ]);
    await importRun(world.importer, one.runId);
    expect(await findBundleImport(world.importer.db, one.runId)).toMatchObject({
      ok: false,
      reason: 'bundle_header',
      factsArtifactId: null,
    });
  });

  it('refuses a bundle above the limit without reading it', async () => {
    const one = await askedToImport();
    await importRun(
      { ...world.importer, limits: { ...DEFAULT_IMPORT_LIMITS, bundleBytes: 10 } },
      one.runId,
    );
    expect(await findBundleImport(world.importer.db, one.runId)).toMatchObject({
      ok: false,
      reason: 'bundle_too_large',
    });
  });

  it('takes for the bundle only what a launcher stored as one', async () => {
    const one = await askedToImport();
    const source = await findNewestArtifact(world.importer.db, 'source_pack', one.taskId);
    await world.deployment.admin.query('update run set bundle_artifact_id = $2 where id = $1', [
      one.runId,
      source?.id,
    ]);
    await expect(importRun(world.importer, one.runId)).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('what the importer may not do', () => {
  it.each([
    'select * from github_request',
    'select state_reason from run',
    "update task set state = 'published'",
    "select task_move(gen_random_uuid(), 'judging', 'published')",
    "select privileged_append('token_minted', null, '{}')",
    "insert into verdict (id, run_id, decision, reasons, policy_hash) select gen_random_uuid(), id, 'publish', '{}', 'x' from run",
  ])('%s', async (statement) => {
    await expect(world.importer.db.query(statement)).rejects.toMatchObject({ code: '42501' });
  });
});
