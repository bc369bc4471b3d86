import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@sallyport/shared/ids';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDockerDriver } from '../../services/worker-launcher/src/launcher/sandbox/docker-driver.ts';
import { createEngine } from '../../services/worker-launcher/src/launcher/sandbox/docker-engine.ts';
import { endOfInstance } from '../../services/worker-launcher/src/launcher/sandbox/docker-leftovers.ts';
import type {
  SandboxExit,
  SandboxSpec,
} from '../../services/worker-launcher/src/launcher/sandbox/driver.ts';
import { shellSpec } from '../../services/worker-launcher/src/launcher/sandbox/sandbox-fixture.ts';
import { createDriverRig, type DriverRig } from './driver-rig.ts';

const LIFE_MS = 6_000;
let rig: DriverRig;
beforeAll(async () => {
  const settings = { LEASE_SECONDS: String(LIFE_MS / 1_000), REAP_SECONDS: '1' };
  rig = await createDriverRig(inject('engineSocket'), settings);
});
afterAll(() => rig?.close());

const LONG = 'echo begun; sleep 100';

/** Starts a sandbox that goes on until somebody ends it, and waits until it is at work. */
async function begin(
  driver: DriverRig['driver'],
  over: Partial<SandboxSpec> = {},
): Promise<{ spec: SandboxSpec; exit: Promise<SandboxExit>; stop: () => void }> {
  const { limits: _, ...rest } = over;
  const spec = shellSpec(LONG, { ...rest, limits: { wallMs: 90_000 } });
  const stop = new AbortController();
  let seen: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    seen = resolve;
  });
  const exit = driver.run(spec, { signal: stop.signal, onStdout: () => seen() });
  exit.catch(() => undefined);
  await Promise.race([begun, exit]);
  return { spec, exit, stop: () => stop.abort() };
}

async function names(): Promise<string[]> {
  return (await rig.engine.list()).flatMap((container) => container.names);
}

async function untilGone(name: string, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  while ((await names()).includes(name)) {
    if (Date.now() > deadline) throw new Error(`${name} is still there`);
    await sleep(100);
  }
}

test('the same start made twice runs once, and the second says so', async () => {
  const first = await begin(rig.driver);
  const second = await rig.driverOf(rig.instance).run(first.spec);
  expect(second.end).toMatchObject({ kind: 'start_failed', reason: 'already_started' });
  expect(await names()).toContain(first.spec.id);
  first.stop();
  expect((await first.exit).end).toEqual({ kind: 'stopped' });
  expect(await names()).not.toContain(first.spec.id);
});

test('what another launcher left of a run is ended before the run goes on, and nothing else', async () => {
  const other = newId();
  await rig.renew(other);
  const keep = setInterval(() => void rig.renew(other), 2_000);
  const runId = newId();
  const labels = { run: runId };
  const left = await begin(rig.driverOf(other), { labels });
  const ofAnotherRun = await begin(rig.driverOf(other), { labels: { run: newId() } });
  const own = await begin(rig.driver, { labels });
  expect(await rig.driver.endLeft(runId)).toBe(1);
  const there = await names();
  expect(there).not.toContain(left.spec.id);
  expect(there).toContain(ofAnotherRun.spec.id);
  expect(there).toContain(own.spec.id);
  own.stop();
  ofAnotherRun.stop();
  expect((await ofAnotherRun.exit).end).toEqual({ kind: 'stopped' });
  await Promise.allSettled([left.exit, own.exit]);
  clearInterval(keep);
});

test('what a dead launcher left is ended by its successor at once', async () => {
  const dead = newId();
  await rig.renew(dead);
  const left = await begin(rig.driverOf(dead));
  const own = await begin(rig.driver);
  expect(await endOfInstance(rig.engine, dead)).toBe(1);
  const there = await names();
  expect(there).not.toContain(left.spec.id);
  expect(there).toContain(own.spec.id);
  own.stop();
  await Promise.allSettled([left.exit, own.exit]);
});

test('a container whose making was never answered is found and removed, one that is at work is not', async () => {
  const own = await begin(rig.driver);
  const lost = await begin(rig.driverOf(rig.instance));
  expect(await rig.driver.endUnknown()).toBe(1);
  const there = await names();
  expect(there).not.toContain(lost.spec.id);
  expect(there).toContain(own.spec.id);
  own.stop();
  await Promise.allSettled([lost.exit, own.exit]);
});

test('a launcher that says nothing more loses its sandboxes when its lease runs out; one that lives keeps them', async () => {
  const silent = newId();
  await rig.renew(silent);
  const left = await begin(rig.driverOf(silent));
  const own = await begin(rig.driver);
  await untilGone(left.spec.id, LIFE_MS + 10_000);
  expect(await names()).toContain(own.spec.id);
  own.stop();
  expect((await own.exit).end).toEqual({ kind: 'stopped' });
  await Promise.allSettled([left.exit]);
});

test('a guard that dies takes no answer with it: the sandbox is said to be lost, and its container is ended before the run goes on', async () => {
  const runId = newId();
  const running = await begin(rig.driver, { labels: { run: runId } });
  const other = await begin(rig.driver);
  await rig.replaceGuard();
  await expect(running.exit).rejects.toMatchObject({ code: 'unavailable' });
  expect(await names()).toContain(running.spec.id);
  expect(await rig.driver.endLeft(runId)).toBe(1);
  expect(await names()).toEqual([other.spec.id]);
  expect(await rig.driver.endUnknown()).toBe(1);
  await expect(other.exit).rejects.toMatchObject({ code: 'unavailable' });
  expect((await rig.driver.run(shellSpec('true'))).end).toEqual({ kind: 'exited', code: 0 });
});

test('a guard that is not there is named with its socket', async () => {
  const { usageOf } = rig.workspace;
  const { instance, image, stateDir } = rig;
  const engine = createEngine('/nonexistent/guard.sock');
  const driver = createDockerDriver({ engine, instance, image, stateDir, usageOf });
  expect((await driver.run(shellSpec('true'))).end).toMatchObject({
    kind: 'start_failed',
    reason: 'driver_missing',
    detail: expect.stringContaining('/nonexistent/guard.sock'),
  });
});
