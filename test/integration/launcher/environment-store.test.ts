/** What is kept of environments and what goes, against real leases and a real directory. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimLease, releaseLease, type Lease } from '@sallyport/shared/db/lease';
import type { Pool } from '@sallyport/shared/db/pool';
import { newId } from '@sallyport/shared/ids';
import { createLogger } from '@sallyport/shared/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createEnvironmentStore,
  type EnvironmentStore,
} from '../../../services/worker-launcher/src/launcher/environment/environment-store.ts';
import { createLocalWorkspace } from '../../../services/worker-launcher/src/launcher/workspace/local-workspace.ts';
import {
  createTestTicketKeys,
  seedAdmittedTask,
} from '../../support/deployment/seed-admitted-task.ts';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';

const KEY = 'a'.repeat(64);
const ALL = { maxBytes: 1e9, maxAgeMs: 1e9 };
const NONE = { maxBytes: 1, maxAgeMs: 1e9 };

let deployment: TestDeployment;
let db: Pool;
let stateDir: string;
let store: EnvironmentStore;
beforeAll(async () => {
  deployment = await createTestDeployment();
  db = deployment.pool('worker-launcher');
  stateDir = mkdtempSync(join(tmpdir(), 'environment-store-'));
  store = createEnvironmentStore({
    db,
    stateDir,
    workspace: createLocalWorkspace(),
    log: createLogger('worker-launcher', 'silent'),
  });
});
afterAll(async () => {
  await deployment.close();
  rmSync(stateDir, { recursive: true });
});

async function leaseOfSomeRun(): Promise<Lease> {
  const { signer } = createTestTicketKeys();
  const { runId } = await seedAdmittedTask(deployment, {
    signer,
    startSha: 'a'.repeat(40),
    team: { v: 1, name: 't', nodes: [{ id: 'n', agent: { cli: 'scripted' }, prompt: '' }] },
  });
  const lease = await claimLease(db, runId, 'test', 60);
  if (lease === null) throw new Error('no lease');
  return lease;
}
async function make(repositoryId: number, lease: Lease, bytes = 10): Promise<string> {
  const directory = await store.begin(repositoryId, KEY, lease);
  mkdirSync(join(directory, 'layer/made'), { recursive: true });
  await store.complete(directory, {
    v: 1,
    key: KEY,
    paths: ['made'],
    entries: 1,
    bytes,
    commit: 'b'.repeat(40),
    madeAt: new Date().toISOString(),
  });
  return directory;
}

test('one that is complete is found, by its repository and key alone', async () => {
  const lease = await leaseOfSomeRun();
  const directory = await make(1, lease);
  expect(await store.find(1, KEY, lease)).toMatchObject({ directory, record: { paths: ['made'] } });
  expect(await store.find(2, KEY, lease)).toBeUndefined();
  expect(await store.find(1, 'b'.repeat(64), lease)).toBeUndefined();
});

test('one that was copied from another repository or key is not found under its new name', async () => {
  const lease = await leaseOfSomeRun();
  const directory = await make(3, lease);
  const other = 'c'.repeat(64);
  const forged = join(stateDir, 'environments/3', `${other}-${newId().slice(-12)}`);
  mkdirSync(join(forged, 'layer'), { recursive: true });
  writeFileSync(join(forged, 'environment.json'), JSON.stringify({ ...(await record(directory)) }));
  expect(await store.find(3, other, lease)).toBeUndefined();

  async function record(at: string): Promise<object> {
    const found = await store.find(3, KEY, lease);
    expect(found?.directory).toBe(at);
    return found?.record ?? {};
  }
});

test('one in use stays whatever the bounds are, and goes when its run is over', async () => {
  const [first, second] = [await leaseOfSomeRun(), await leaseOfSomeRun()];
  const directory = await make(4, first);
  await releaseLease(db, first);
  await store.find(4, KEY, second);
  await store.sweep(NONE);
  expect(existsSync(directory)).toBe(true);
  await releaseLease(db, second);
  await store.sweep(NONE);
  expect(existsSync(directory)).toBe(false);
});

test('what was left half-way goes, unless its run is alive', async () => {
  const lease = await leaseOfSomeRun();
  const directory = await store.begin(5, KEY, lease);
  mkdirSync(join(directory, 'layer'));
  await store.sweep(ALL);
  expect(existsSync(directory)).toBe(true);
  expect(await store.find(5, KEY, lease)).toBeUndefined();
  await releaseLease(db, lease);
  await store.sweep(ALL);
  expect(existsSync(directory)).toBe(false);
});

test('of those that have no room the one used least recently goes first', async () => {
  const lease = await leaseOfSomeRun();
  const [old, young] = [await make(6, lease, 600), await make(7, lease, 600)];
  writeFileSync(join(old, 'used'), String(Date.now() - 60_000));
  await releaseLease(db, lease);
  await store.sweep({ maxBytes: 1_000, maxAgeMs: 1e9 });
  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
});

test('one that nobody used for too long goes, a younger one stays', async () => {
  const lease = await leaseOfSomeRun();
  const directory = await make(8, lease);
  await releaseLease(db, lease);
  writeFileSync(join(directory, 'used'), String(Date.now() - 60_000));
  await store.sweep({ maxBytes: 1e9, maxAgeMs: 120_000 });
  expect(existsSync(directory)).toBe(true);
  await store.sweep({ maxBytes: 1e9, maxAgeMs: 30_000 });
  expect(existsSync(directory)).toBe(false);
});

test('sweeps and uses at once never leave a run with one that goes', async () => {
  const leases = await Promise.all(Array.from({ length: 6 }, leaseOfSomeRun));
  const [maker, ...users] = leases;
  if (maker === undefined) throw new Error('no lease');
  await make(9, maker);
  await releaseLease(db, maker);
  const found = await Promise.all(
    users.flatMap((lease) => [store.find(9, KEY, lease), store.sweep(NONE).then(() => undefined)]),
  );
  const broken = found.filter(
    (one) => one !== undefined && !readdirSync(one.directory).includes('environment.json'),
  );
  expect(broken).toEqual([]);
});
