/** What is left in the engine by launchers that are gone is removed, whatever its state; what is anybody else's stays. */
import { setTimeout as sleep } from 'node:timers/promises';
import { mkdirSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attach } from '../support/engine/attach.ts';
import { RUN, STEP, useGuard } from './guard-fixture.ts';

const LEASE_SECONDS = 3;
const use = useGuard({
  LEASE_SECONDS: String(LEASE_SECONDS),
  REAP_SECONDS: '1',
  MAX_CONTAINERS: '9',
});
let beat: NodeJS.Timeout | undefined;
beforeAll(() => {
  beat = setInterval(() => void renew('alive'), 500);
});
afterAll(() => clearInterval(beat));

async function renew(instance: string): Promise<number> {
  return (await use.guard.call('POST', `/leases/${instance}`).catch(() => ({ status: 0 }))).status;
}

const STATES = ['created', 'running', 'paused', 'exited'] as const;

/** A container in that state, under that lease, with an overlay of its own. */
async function make(state: (typeof STATES)[number], lease: string): Promise<string> {
  const id = await use.create({
    Cmd: state === 'exited' ? ['/bin/true'] : ['/bin/sleep', '600'],
    Labels: { lease },
    Mounts: [
      {
        kind: 'overlay',
        layers: [`${RUN}/trees/t/files`],
        view: `${RUN}/steps/${lease}-${state}/view`,
        target: '/work',
        readOnly: false,
      },
    ],
  });
  if (state === 'created') return id;
  await use.start(id);
  if (state === 'paused') await use.engine('POST', `/containers/${id}/pause`);
  if (state === 'exited') await use.engine('POST', `/containers/${id}/wait`);
  return id;
}

async function exists(path: string): Promise<boolean> {
  return (await use.engine('GET', path)).status === 200;
}
const hasContainer = (id: string): Promise<boolean> => exists(`/containers/${id}/json`);

async function ownVolumes(): Promise<string[]> {
  const { Volumes } = (await use.engine('GET', '/volumes')).json as {
    Volumes: { Name: string }[] | null;
  };
  return (Volumes ?? [])
    .map(({ Name }) => Name)
    .filter((name) => name.includes(use.guard.deployment));
}

async function until(what: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await what())) {
    if (Date.now() > deadline) throw new Error(`not so in time:\n${use.guard.output()}`);
    await sleep(100);
  }
}

test('containers in every state go when their lease has run out, with their volumes; those of a live lease stay', async () => {
  mkdirSync(join(use.guard.root, RUN, 'trees/t/files'), { recursive: true });
  const dead: string[] = [];
  const live: string[] = [];
  for (const state of STATES) {
    dead.push(await make(state, 'dead'));
    live.push(await make(state, 'alive'));
  }
  for (const id of dead) await until(async () => !(await hasContainer(id)));
  for (const id of live) expect(await hasContainer(id)).toBe(true);
  await until(async () => (await ownVolumes()).length === live.length);
  for (const id of live) await use.remove(id);
  expect(await ownVolumes()).toEqual([]);
});

test('volumes that nothing has, and networks, go; those of others stay', async () => {
  const mark = (deployment: string): Record<string, string> => ({
    'sallyport.deployment': deployment,
    'sallyport.lease': 'dead',
  });
  const volumes = { own: `left-${use.guard.deployment}`, others: `others-${use.guard.deployment}` };
  await use.engine('POST', '/volumes/create', {
    Name: volumes.own,
    Labels: mark(use.guard.deployment),
  });
  await use.engine('POST', '/volumes/create', { Name: volumes.others, Labels: mark('other') });
  const networks: string[] = [];
  for (const deployment of [use.guard.deployment, 'other']) {
    const body = {
      Name: `n-${use.guard.deployment}-${deployment}`,
      Driver: 'bridge',
      Internal: true,
    };
    const made = await use.engine('POST', '/networks/create', {
      ...body,
      Labels: mark(deployment),
    });
    expect(made, made.message).toMatchObject({ status: 201 });
    networks.push((made.json as { Id: string }).Id);
  }
  const [own = '', others = ''] = networks;
  await until(async () => !(await exists(`/volumes/${volumes.own}`)));
  expect(await exists(`/volumes/${volumes.others}`)).toBe(true);
  await until(async () => !(await exists(`/networks/${own}`)));
  expect(await exists(`/networks/${others}`)).toBe(true);
  await use.engine('DELETE', `/networks/${others}`);
  await use.engine('DELETE', `/volumes/${volumes.others}`);
});

test('containers of others stay, also with a lease that nobody renews', async () => {
  const foreign: string[] = [];
  for (const labels of [
    {},
    { 'sallyport.lease': 'dead' },
    { 'sallyport.deployment': 'other', 'sallyport.lease': 'dead' },
  ]) {
    const body = {
      Image: use.image,
      Cmd: ['/bin/sleep', '600'],
      Labels: labels,
      HostConfig: { NetworkMode: 'none' },
    };
    foreign.push(
      ((await use.engine('POST', '/containers/create', body)).json as { Id: string }).Id,
    );
  }
  const own = await make('created', 'dead');
  await until(async () => !(await hasContainer(own)));
  for (const id of foreign) {
    expect(await hasContainer(id)).toBe(true);
    await use.engine('DELETE', `/containers/${id}?force=1`);
  }
});

test('a guard that was killed gives those that live the time to say so, and lets run what it held still', async () => {
  const id = await make('running', 'alive');
  await use.engine('POST', `/containers/${id}/pause`);
  const unmarked = { 'sallyport.deployment': use.guard.deployment };
  const body = {
    Image: use.image,
    Cmd: ['/bin/sleep', '600'],
    Labels: unmarked,
    HostConfig: { NetworkMode: 'none' },
  };
  const left = ((await use.engine('POST', '/containers/create', body)).json as { Id: string }).Id;
  await use.guard.restart('SIGKILL');
  const { State } = (await use.engine('GET', `/containers/${id}/json`)).json as {
    State: { Status: string };
  };
  expect(State.Status).toBe('running');
  await until(async () => !(await hasContainer(left)));
  await sleep((LEASE_SECONDS + 2) * 1_000);
  expect(await hasContainer(id)).toBe(true);
  await use.remove(id);
});

test('a guard that is asked to stop does so at once, cuts the streams, and leaves sandboxes to the next', async () => {
  const id = await use.create({ Cmd: ['/bin/sleep', '600'], Labels: { lease: 'alive' } });
  const { socket, output } = await attach(use.guard.socket, id);
  output.catch(() => undefined);
  const exit = use.guard.call('POST', `/containers/${id}/wait?condition=next-exit`);
  const cut = Promise.all([closed(socket), exit.then(String, String)]);
  await use.start(id);
  const before = Date.now();
  await use.guard.restart('SIGTERM');
  expect(use.guard.output()).toContain('"msg":"stopped"');
  expect((await cut)[1]).toContain('socket hang up');
  expect(Date.now() - before).toBeLessThan(10_000);
  expect((await use.guard.call('GET', `/containers/${id}/json`)).json).toMatchObject({
    State: { Running: true },
  });
  await use.remove(id);
});

function closed(socket: Duplex): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
  });
}

test('no more containers are made than are allowed, until one is gone', async () => {
  const made: string[] = [];
  for (let i = 0; i < 9; i += 1) made.push(await use.create({ Labels: { lease: 'alive' } }));
  const body = use.body({ Labels: { lease: 'alive' } });
  const one = await use.guard.call('POST', '/containers/create?name=one-more', body);
  expect(one).toMatchObject({ status: 503 });
  expect(one.message).toContain('9 containers');
  await use.remove(made.pop() ?? '');
  made.push(await use.create({ Labels: { lease: 'alive' } }, 'one-more'));
  for (const id of made) await use.remove(id);
});

test('leases are named plainly', async () => {
  expect(await renew('alive')).toBe(204);
  expect(await renew('Alive_')).toBe(400);
  expect((await use.guard.call('PUT', `/workspace/directories/${STEP}/out`)).status).toBe(204);
});
