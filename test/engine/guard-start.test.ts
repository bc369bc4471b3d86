/** When the guard starts and when it does not: each refusal has exit code 2, or 1 for an engine that is not there, and says what to do. */
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { newId } from '@sallyport/shared/ids';
import { callEngine } from '../support/engine/call-engine.ts';
import { importBusybox } from '../support/engine/busybox-image.ts';
import { runGuard, type GuardRun } from '../support/engine/start-guard.ts';

const engineSocket = inject('engineSocket');
let image = '';
let directory = '';
const runs: GuardRun[] = [];

beforeAll(async () => {
  image = await importBusybox(engineSocket);
});
beforeEach(() => {
  directory = mkdtempSync('/tmp/sp-start-');
});
afterEach(async () => {
  for (const run of runs.splice(0)) {
    run.signal('SIGKILL');
    await run.ended;
  }
  rmSync(directory, { recursive: true, force: true });
});

function start(env: Readonly<Record<string, string>> = {}): GuardRun {
  const run = runGuard({
    DEPLOYMENT_ID: `t${newId().replaceAll('-', '').slice(-12)}`,
    ENGINE_SOCKET: engineSocket,
    GUARD_SOCKET: join(directory, 'guard.sock'),
    GUARD_ROOT: join(directory, 'root'),
    IMAGES: image,
    ...env,
  });
  runs.push(run);
  return run;
}

async function assertStarts(env: Readonly<Record<string, string>> = {}): Promise<GuardRun> {
  const run = start(env);
  let isOver = false;
  void run.ended.then(() => {
    isOver = true;
  });
  while (!run.output().includes('"msg":"ready"') && !isOver) await sleep(50);
  expect(run.output()).toContain('"msg":"ready"');
  return run;
}

async function assertRefuses(
  env: Readonly<Record<string, string>>,
  words: string,
  code = 2,
): Promise<void> {
  const run = start(env);
  const ended = await run.ended;
  expect([ended, run.output()]).toEqual([code, expect.stringContaining(words)]);
  expect(existsSync(join(directory, 'guard.sock'))).toBe(false);
}

test('it starts, listens for its group alone, and stops when it is asked to', async () => {
  const run = await assertStarts({ SOCKET_GID: '12345' });
  const socket = lstatSync(join(directory, 'guard.sock'));
  expect([socket.mode & 0o777, socket.gid]).toEqual([0o660, 12_345]);
  run.signal('SIGTERM');
  expect(await run.ended).toBe(0);
  expect(run.output()).toContain('"msg":"stopped"');
});

test('it takes the place of one that was killed, and not of one that lives or of a file', async () => {
  const first = await assertStarts();
  const second = start();
  expect(await second.ended).toBe(2);
  expect(second.output()).toContain('another guard listens');
  first.signal('SIGKILL');
  await first.ended;
  await assertStarts();
  const file = join(directory, 'file');
  writeFileSync(file, 'kept');
  const third = start({ GUARD_SOCKET: file });
  expect(await third.ended).toBe(2);
  expect(third.output()).toContain('is there and no socket');
});

test.each<[string, Record<string, string>, string]>([
  ['an image by its tag', { IMAGES: 'test/busybox:latest' }, 'IMAGES: give ids'],
  [
    'an image that the engine does not have',
    { IMAGES: `sha256:${'0'.repeat(64)}` },
    'the engine has no image',
  ],
  ['a runtime that it does not know', { RUNTIME: 'runsc' }, 'no runtime \\"runsc\\"'],
  ['users that are not remapped', { USERNS: 'remap_required' }, 'does not remap users'],
  ['a root that is relative', { GUARD_ROOT: 'root' }, 'GUARD_ROOT: give an absolute path'],
  ['a root with a comma', { GUARD_ROOT: '/tmp/a,b' }, 'GUARD_ROOT: give an absolute path'],
  ['a root with a way up', { GUARD_ROOT: '/tmp/../etc' }, 'GUARD_ROOT: give an absolute path'],
  [
    'a root that is elsewhere on the host',
    { GUARD_ROOT_ON_HOST: '/nowhere' },
    'GUARD_ROOT_ON_HOST',
  ],
  ['root as the user of sandboxes', { SANDBOX_UID: '0' }, 'SANDBOX_UID'],
  ['a person as their user', { SANDBOX_UID: '1000' }, 'SANDBOX_UID'],
  ['a lent directory without a path', { LENT_DIRECTORIES: 'npm' }, 'LENT_DIRECTORIES'],
  ['no image', { IMAGES: '' }, 'IMAGES'],
])('%s: no start', async (_, env, words) => {
  await assertRefuses(env, words);
});

test('an engine that is not there is one that may come: exit 1', async () => {
  await assertRefuses({ ENGINE_SOCKET: join(directory, 'none.sock') }, 'does not answer', 1);
});

test('an image with volumes of its own is refused, the same without is not', async () => {
  const withVolume = await importBusybox(engineSocket, {
    repo: 'test/volume',
    changes: ['VOLUME /data'],
  });
  await assertRefuses({ IMAGES: withVolume }, 'declares volumes');
  await assertStarts({ IMAGES: image });
});

test('a root that others could change, or that is a link, is refused until that is mended', async () => {
  const root = join(directory, 'root');
  mkdirSync(root);
  chmodSync(root, 0o777);
  await assertRefuses({}, 'can be written by others');
  chmodSync(root, 0o1777);
  await assertRefuses({}, 'can be written by others');
  chmodSync(root, 0o711);
  chownSync(root, 12_345, 12_345);
  await assertRefuses({}, 'belongs to another user');
  chownSync(root, 0, 0);
  chmodSync(directory, 0o777);
  await assertRefuses({}, `${directory} can be written by others`);
  chmodSync(directory, 0o755);
  symlinkSync(root, join(directory, 'link'));
  await assertRefuses({ GUARD_ROOT: join(directory, 'link') }, 'is a link');
  await assertStarts();
});

test('what was tried at the start is gone when it is ready', async () => {
  await assertStarts({ DEPLOYMENT_ID: 'tprobe' });
  const filters = encodeURIComponent('{"label":["sallyport.deployment=tprobe"]}');
  const containers = await callEngine(
    engineSocket,
    'GET',
    `/containers/json?all=1&filters=${filters}`,
  );
  const volumes = await callEngine(engineSocket, 'GET', `/volumes?filters=${filters}`);
  expect(containers.json).toEqual([]);
  expect((volumes.json as { Volumes: unknown[] | null }).Volumes ?? []).toEqual([]);
});

test('a lent directory can be read by its name and not written', async () => {
  const lent = join(directory, 'registry');
  mkdirSync(lent);
  writeFileSync(join(lent, 'package'), 'content');
  await assertStarts({ LENT_DIRECTORIES: `npm=${lent}` });
  const body = {
    Image: image,
    Cmd: ['/bin/sh', '-c', 'test -e /registry/package && ! touch /registry/x && exit 7'],
    Env: [],
    WorkingDir: '/tmp',
    Labels: { lease: 'tests' },
    Limits: {
      memoryBytes: 2 ** 26,
      processes: 16,
      fileBytes: 4_096,
      openFiles: 64,
      tmpBytes: 4_096,
    },
    Mounts: [{ kind: 'lent', name: 'npm', target: '/registry' }],
    OpenStdin: false,
  };
  const guard = join(directory, 'guard.sock');
  const { Id } = (await callEngine(guard, 'POST', '/containers/create?name=a', body)).json as {
    Id: string;
  };
  const exit = callEngine(guard, 'POST', `/containers/${Id}/wait?condition=next-exit`);
  await callEngine(guard, 'POST', `/containers/${Id}/start`);
  expect((await exit).json).toMatchObject({ StatusCode: 7 });
  await callEngine(guard, 'DELETE', `/containers/${Id}?force=1&v=1`);
});
