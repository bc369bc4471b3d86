import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { dropExpiredArtifacts } from '@sallyport/shared/artifacts/drop-expired';
import {
  findArtifact,
  readArtifact,
  storeArtifact,
  streamArtifact,
  writeArtifact,
  type Artifact,
} from '@sallyport/shared/artifacts/store';
import { inTransaction } from '@sallyport/shared/db/pool';
import { newId } from '@sallyport/shared/ids';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seedTask } from '../../support/deployment/seed-task.ts';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';

let deployment: TestDeployment;
let taskId: string;
beforeAll(async () => {
  deployment = await createTestDeployment();
  taskId = (await seedTask(deployment)).taskId;
});
afterAll(() => deployment.close());

const MIB = 1024 * 1024;

it('gives back the bytes that were stored, over several chunks', async () => {
  const bytes = randomBytes(2 * MIB + 17);
  const parts = [bytes.subarray(0, 5), bytes.subarray(5, MIB + 1), bytes.subarray(MIB + 1)];
  const stored = await storeArtifact(deployment.pool('worker-launcher'), {
    kind: 'bundle',
    taskId,
    bytes: parts,
  });
  expect(stored.size).toBe(bytes.length);
  const read = await readArtifact(deployment.pool('importer'), stored.id, 10 * MIB);
  expect(read.equals(bytes)).toBe(true);
});

it('stores the same bytes of a task once', async () => {
  const bytes = [randomBytes(100)];
  const pool = deployment.pool('worker-launcher');
  const first = await storeArtifact(pool, { kind: 'bundle', taskId, bytes });
  const second = await storeArtifact(pool, { kind: 'bundle', taskId, bytes });
  expect(second.id).toBe(first.id);
});

it('a second that comes before the first has committed waits, and is told of it', async () => {
  const pool = deployment.pool('worker-launcher');
  const input = { kind: 'bundle', taskId, bytes: [randomBytes(100)] } as const;
  let second: Promise<Artifact> | undefined;
  const first = await inTransaction(pool, async (tx) => {
    const written = await writeArtifact(tx, input);
    second = storeArtifact(pool, input);
    // Long enough for it to have come to where it must wait.
    await Promise.race([second, sleep(300)]);
    return written;
  });
  expect((await second)?.id).toBe(first.id);
});

it('keeps nothing of what is over the cap, and keeps what is at it', async () => {
  const pool = deployment.pool('worker-launcher');
  function* zeros(total: number): Generator<Buffer> {
    for (let left = total; left > 0; left -= MIB) yield Buffer.alloc(Math.min(left, MIB));
  }
  const before = await count();
  await expect(
    storeArtifact(pool, { kind: 'transcript', taskId, bytes: zeros(16 * MIB + 1) }),
  ).rejects.toMatchObject({ code: 'too_large' });
  expect(await count()).toBe(before);
  await storeArtifact(pool, { kind: 'transcript', taskId, bytes: zeros(16 * MIB) });
  expect(await count()).toBe(before + 1);
});

it('shows each kind to its readers alone, and lets its writer alone write it', async () => {
  const stored = await storeArtifact(deployment.pool('worker-launcher'), {
    kind: 'step_pack',
    taskId,
    bytes: [randomBytes(9)],
  });
  await expect(findArtifact(deployment.pool('worker-launcher'), stored.id)).resolves.toMatchObject({
    size: 9,
  });
  await expect(findArtifact(deployment.pool('importer'), stored.id)).rejects.toMatchObject({
    code: 'not_found',
  });
  const denied = storeArtifact(deployment.pool('importer'), {
    kind: 'bundle',
    taskId,
    bytes: [randomBytes(9)],
  });
  await expect(denied).rejects.toMatchObject({ code: '42501' });
});

it('refuses bytes that were changed in the store', async () => {
  const stored = await storeArtifact(deployment.pool('worker-launcher'), {
    kind: 'bundle',
    taskId,
    bytes: [randomBytes(64)],
  });
  await deployment.admin.query('update artifact_chunk set data = $2 where artifact_id = $1', [
    stored.id,
    randomBytes(64),
  ]);
  await expect(drain(stored.id)).rejects.toMatchObject({ code: 'internal' });
});

it('knows no artifact that nobody stored', async () => {
  await expect(findArtifact(deployment.admin, newId())).rejects.toMatchObject({
    code: 'not_found',
  });
});

async function drain(id: string): Promise<void> {
  for await (const chunk of streamArtifact(deployment.pool('importer'), id))
    expect(chunk.length).toBeGreaterThan(0);
}

async function count(): Promise<number> {
  const { rows } = await deployment.admin.query<{ n: number }>(
    'select count(*)::int as n from artifact',
  );
  return rows[0]?.n ?? -1;
}

it.each([
  ['published', -1, 1],
  ['failed', -1, 1],
  ['published', 3600, 0],
  ['running', -1, 0],
  ['held', -1, 0],
] as const)(
  'of a task that is %s a source that expires in %i s is dropped %i times',
  async (state, expiresInSeconds, dropped) => {
    const one = await seedTask(deployment, { state });
    const pool = deployment.pool('publisher');
    const bytes = [randomBytes(MIB + 9)];
    const input = { kind: 'source_pack', taskId: one.taskId, bytes, expiresInSeconds } as const;
    const { id } = await storeArtifact(pool, input);
    const kept = await storeArtifact(deployment.pool('worker-launcher'), {
      kind: 'bundle',
      taskId: one.taskId,
      bytes,
    });
    expect(await dropExpiredArtifacts(pool)).toBe(dropped);
    const left = await deployment.admin.query<{ id: string }>(
      'select id from artifact where task_id = $1 and kind = $2',
      [one.taskId, input.kind],
    );
    expect(left.rows.map((row) => row.id)).toEqual(dropped === 0 ? [id] : []);
    await expect(findArtifact(deployment.pool('worker-launcher'), kept.id)).resolves.toMatchObject({
      id: kept.id,
    });
  },
);

it('stores bytes anew whose earlier copy is due to go', async () => {
  const pool = deployment.pool('publisher');
  const input = { kind: 'source_pack', taskId, bytes: [randomBytes(9)] } as const;
  const old = await storeArtifact(pool, { ...input, expiresInSeconds: -1 });
  const fresh = await storeArtifact(pool, { ...input, expiresInSeconds: 3600 });
  expect(fresh.id).not.toBe(old.id);
  expect((await storeArtifact(pool, { ...input, expiresInSeconds: 3600 })).id).toBe(fresh.id);
});
