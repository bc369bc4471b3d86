/** An importer that was taken over: what it tells is judged, so what it hands over must be that and nothing else. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readArtifact, storeArtifact } from '@sallyport/shared/artifacts/store';
import { findBundleImport } from '@sallyport/shared/db/bundle-import';
import {
  decodeImportRecord,
  encodeImportRecord,
  type ImportRecord,
} from '../../../services/publisher/src/import-record.ts';
import { importRun } from '../../../services/publisher/src/importer/import-run.ts';
import { advancePublication } from '../../../services/publisher/src/publisher/publish/advance.ts';
import {
  addRepository,
  FIX,
  lookAt,
  seedCollectedTask,
  type AgentFiles,
  type Outcome,
} from './collected-task.ts';
import { assertSettled, createPublisherWorld, type PublisherWorld } from './publisher-world.ts';

let world: PublisherWorld;
beforeAll(async () => {
  world = await createPublisherWorld();
});
afterEach(() => assertSettled(world));
afterAll(() => world.close());

/** Imports, puts another record in the place of the importer's, publishes, looks. */
async function publishWithRecord(
  files: AgentFiles,
  tell: (record: ImportRecord) => ImportRecord,
): Promise<Outcome> {
  const { deployment } = world;
  const one = await seedCollectedTask(world, { repo: await addRepository(world), files });
  await advancePublication(world.publisher, one.runId);
  await importRun(world.importer, one.runId);
  const imported = await findBundleImport(deployment.admin, one.runId);
  const bytes = await readArtifact(deployment.admin, imported?.factsArtifactId ?? '', 1e8);
  const told = await storeArtifact(deployment.pool('importer'), {
    kind: 'import_facts',
    taskId: one.taskId,
    bytes: [encodeImportRecord(tell(decodeImportRecord(bytes)))],
  });
  await deployment.admin.query(
    'update bundle_import set facts_artifact_id = $2 where run_id = $1',
    [one.runId, told.id],
  );
  await advancePublication(world.publisher, one.runId);
  return lookAt(world, one);
}

const WORKFLOW = '.github/workflows/ci.yml';
const withWorkflow: AgentFiles = { ...FIX, [WORKFLOW]: 'on: push\n' };

function withoutWorkflow(record: ImportRecord): ImportRecord {
  const { facts } = record;
  const rest = facts.changes.filter(({ path }) => path !== WORKFLOW);
  const commits = facts.commits.map((commit) => ({ ...commit, changes: rest }));
  return { ...record, facts: { ...facts, changes: rest, commits } };
}

function expectNothingPushed(seen: Outcome): void {
  expect(Object.keys(seen.branches)).toEqual(['main']);
  expect(seen.pulls).toEqual([]);
  expect(seen.kinds).not.toContain('pushed');
}

describe('an importer that lies', () => {
  it('gets no workflow out by keeping silent about it, and an honest one gets the fix out', async () => {
    const seen = await publishWithRecord(withWorkflow, withoutWorkflow);
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'not_as_judged' });
    expectNothingPushed(seen);
    const twin = await publishWithRecord(FIX, withoutWorkflow);
    expect(twin.task.state).toBe('published');
  });

  it('gets no workflow out under another name', async () => {
    const seen = await publishWithRecord(withWorkflow, (record) => {
      const text = JSON.stringify(record.facts).replaceAll(WORKFLOW, 'src/ci.yml');
      return { ...record, facts: JSON.parse(text) as ImportRecord['facts'] };
    });
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'not_as_judged' });
    expectNothingPushed(seen);
  });

  it('gets no secret out by showing another content', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
    const files = { ...FIX, 'src/key.js': `export const key = '${secret}';\n` };
    const seen = await publishWithRecord(files, (record) => {
      const contents = new Map(
        [...record.contents].map(([oid, bytes]) => [
          oid,
          Buffer.from(bytes.toString().replace(secret, 'a word')),
        ]),
      );
      return { ...record, contents };
    });
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'import_unreadable' });
    expectNothingPushed(seen);
  });

  it('ends the task when it tells what the policy cannot read', async () => {
    const seen = await publishWithRecord(FIX, (record) => {
      const changes = record.facts.changes.map((change) => ({ ...change, path: '' }));
      return { ...record, facts: { ...record.facts, changes } };
    });
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'import_unreadable' });
    expectNothingPushed(seen);
  });
});
