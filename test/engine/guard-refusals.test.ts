/**
 * What a launcher that was taken over may try, each one field away from a create that the guard passes: nothing of it
 * reaches the engine, and the launcher is told what was wrong.
 */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { importBusybox } from '../support/engine/busybox-image.ts';
import { RUN, STEP, useGuard } from './guard-fixture.ts';

const use = useGuard({ MAX_MEMORY_BYTES: String(128 * 1024 ** 2), MAX_PIDS: '64', MAX_CPUS: '1' });
let foreignImage = '';
let made = 0;

beforeAll(async () => {
  foreignImage = await importBusybox(inject('engineSocket'), {
    repo: 'foreign/busybox',
    changes: ['LABEL foreign=1'],
  });
  for (const name of ['out', 'in']) {
    await use.guard.call('PUT', `/workspace/directories/${STEP}/${name}`);
  }
  const tree = join(use.guard.root, RUN, 'trees/t');
  for (const part of ['git', 'files']) mkdirSync(join(tree, part), { recursive: true });
  symlinkSync('/etc', join(tree, 'layer'));
  symlinkSync('/', join(use.guard.root, 'runs/linked'));
  symlinkSync('/etc', join(use.guard.root, STEP, 'tree'));
});

interface Attempt {
  status: number;
  message: string;
  reachedEngine: boolean;
}

/** Sends a body as it is and says whether the engine then has a container more. */
async function attempt(body: string, name?: string): Promise<Attempt> {
  made += 1;
  const path = `/containers/create?name=${name ?? `attempt-${made}`}`;
  const before = await count();
  const { status, message, json } = await use.guard.call('POST', path, body, {
    'content-type': 'application/json',
  });
  const after = await count();
  if (status === 201) await use.remove((json as { Id: string }).Id);
  return { status, message, reachedEngine: after !== before };
}

/** Of this guard's, by the names that it gives: another file's come and go meanwhile. */
async function count(): Promise<number> {
  const filters = JSON.stringify({ name: [`sallyport-${use.guard.deployment}`] });
  const path = `/containers/json?all=1&filters=${encodeURIComponent(filters)}`;
  return ((await use.engine('GET', path)).json as unknown[]).length;
}

async function assertRefused(
  hostile: string,
  status: number,
  words: string | RegExp,
): Promise<void> {
  const refused = await attempt(hostile);
  expect(refused).toMatchObject({ status, reachedEngine: false });
  expect(refused.message).toMatch(words);
}

async function assertPasses(body: string): Promise<void> {
  const passed = await attempt(body);
  expect(passed, passed.message).toMatchObject({ status: 201, reachedEngine: true });
}

const plain = (change: Record<string, unknown> = {}): string => JSON.stringify(use.body(change));
const directory = (
  name: string,
  change: Record<string, unknown> = {},
): Record<string, unknown> => ({
  kind: 'directory',
  name,
  target: '/mnt',
  readOnly: true,
  ...change,
});
const overlay = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  kind: 'overlay',
  layers: [`${RUN}/trees/t/git`, `${RUN}/trees/t/files`],
  view: `${STEP}/view`,
  target: '/work',
  readOnly: false,
  ...change,
});

test.each<[string, string, unknown]>([
  ['a host configuration', 'HostConfig', { Privileged: true }],
  ['one in small letters', 'hostconfig', { Privileged: true }],
  ['a network configuration', 'NetworkingConfig', {}],
  ['privileges', 'Privileged', true],
  ['binds', 'Binds', ['/:/host']],
  ['a network', 'NetworkMode', 'host'],
  ['the processes of the host', 'PidMode', 'host'],
  ['its IPC', 'IpcMode', 'host'],
  ['its users', 'UsernsMode', 'host'],
  ['its cgroups', 'CgroupnsMode', 'host'],
  ['a parent in its cgroups', 'CgroupParent', '/'],
  ['capabilities', 'CapAdd', ['SYS_ADMIN']],
  ['fewer dropped', 'CapDrop', []],
  [
    'devices',
    'Devices',
    [{ PathOnHost: '/dev/sda', PathInContainer: '/dev/sda', CgroupPermissions: 'rwm' }],
  ],
  ['rules for devices', 'DeviceCgroupRules', ['a *:* rwm']],
  ['security options', 'SecurityOpt', ['seccomp=unconfined']],
  ['a runtime', 'Runtime', 'runc'],
  ['another user', 'User', '0'],
  ['an entry point', 'Entrypoint', ['/bin/sh']],
  ['volumes', 'Volumes', {}],
  ['the volumes of others', 'VolumesFrom', ['other']],
  ['a root that can be written', 'ReadonlyRootfs', false],
  ['kernel settings', 'Sysctls', {}],
  ['limits of its own', 'Ulimits', []],
  ['a log on the host', 'LogConfig', { Type: 'syslog' }],
  ['a restart', 'RestartPolicy', { Name: 'always' }],
  ['removal by the engine', 'AutoRemove', true],
  ['a terminal', 'Tty', true],
  ['a health check', 'Healthcheck', { Test: ['CMD', '/bin/true'] }],
  ['unmasked paths', 'MaskedPaths', []],
])('%s cannot be asked for', async (_, key, value) => {
  await assertRefused(plain({ [key]: value }), 400, key);
  await assertPasses(plain());
});

test.each<[string, string, string]>([
  ['a key twice', '"OpenStdin":false', '"OpenStdin":false,"OpenStdin":false'],
  ['a key again in small letters', '"OpenStdin":false', '"OpenStdin":false,"openstdin":false'],
  ['a limit twice', '"processes":32', '"processes":32,"Processes":32'],
  ['a key with an escape', '"OpenStdin":false', '"OpenStdin":false,"Open\\u0053tdin":false'],
])('%s is refused', async (_, part, instead) => {
  const body = plain();
  expect(body).toContain(part);
  await assertRefused(body.replace(part, instead), 400, 'a second time');
  await assertPasses(body);
});

test.each<[string, () => string, number, string]>([
  ['an image that is not on the list', () => foreignImage, 403, 'not one of the images'],
  ['an image by its tag', () => 'test/busybox:latest', 403, 'not one of the images'],
  ['an image by a part of its id', () => use.image.slice(0, 19), 403, 'not one of the images'],
  ['an image by its bare id', () => use.image.replace('sha256:', ''), 403, 'not one of the images'],
])('%s is refused', async (_, image, status, words) => {
  await assertRefused(plain({ Image: image() }), status, words);
  await assertPasses(plain({ Image: use.image }));
});

test.each<[string, Record<string, unknown>, Record<string, unknown>, number, string]>([
  ['a path of the host', directory('/etc'), directory(`${STEP}/out`), 403, 'no name'],
  [
    'a way up',
    directory(`${STEP}/out/../../../../../etc`),
    directory(`${STEP}/out`),
    403,
    'no name',
  ],
  ['the root of all runs', directory('runs'), directory(RUN), 403, 'no name'],
  [
    'a directory of no known kind',
    directory(`${STEP}/view`),
    directory(`${STEP}/in`),
    403,
    'no name',
  ],
  [
    'a link as the last part',
    directory(`${STEP}/tree`),
    directory(`${STEP}/out`),
    403,
    'is a link',
  ],
  ['a link on the way', directory('runs/linked/history.git'), directory(RUN), 403, 'is a link'],
  ['a link as a run', directory('runs/linked'), directory(RUN), 403, 'is a link'],
  ['a directory that is not there', directory('runs/r2'), directory(RUN), 404, 'no such directory'],
  ['a source beside the name', directory(RUN, { Source: '/etc' }), directory(RUN), 400, 'Source'],
  ['a bind of Docker', { Type: 'bind', Source: '/', Target: '/mnt' }, directory(RUN), 400, 'kind'],
  [
    'a way up in the target',
    directory(RUN, { target: '/mnt/../proc' }),
    directory(RUN),
    400,
    'absolute path',
  ],
  ['a target in /proc', directory(RUN, { target: '/proc/sys' }), directory(RUN), 400, '/proc'],
  [
    'the whole root as target',
    directory(RUN, { target: '/' }),
    directory(RUN),
    400,
    'absolute path',
  ],
  ['a path as layer', overlay({ layers: ['/etc'] }), overlay(), 403, 'no name'],
  [
    'a layer with options in it',
    overlay({ layers: [`${RUN}/trees/t/git,upperdir=/etc`] }),
    overlay(),
    403,
    'no name',
  ],
  [
    'two layers as one',
    overlay({ layers: [`${RUN}/trees/t/git:/etc`] }),
    overlay(),
    403,
    'no name',
  ],
  [
    'a link as layer',
    overlay({ layers: [`${RUN}/trees/t/layer`] }),
    overlay({ layers: [`${RUN}/trees/t/files`] }),
    403,
    'is a link',
  ],
  ['no layer', overlay({ layers: [] }), overlay(), 400, 'layers'],
  ['another step’s output as view', overlay({ view: `${STEP}/out` }), overlay(), 403, 'no name'],
  ['a view on the host', overlay({ view: '/etc' }), overlay(), 403, 'no name'],
  [
    'a lent directory that nobody lent',
    { kind: 'lent', name: 'npm', target: '/registry' },
    directory(RUN),
    403,
    'no directory that is lent',
  ],
  [
    'a scratch space without a bound',
    { kind: 'tmpfs', target: '/x' },
    { kind: 'tmpfs', target: '/x', sizeBytes: 4_096 },
    400,
    'sizeBytes',
  ],
  [
    'a scratch space beyond the memory',
    { kind: 'tmpfs', target: '/x', sizeBytes: 2 ** 40 },
    { kind: 'tmpfs', target: '/x', sizeBytes: 4_096 },
    403,
    'more than',
  ],
])('%s is not mounted', async (_, hostile, twin, status, words) => {
  await assertRefused(plain({ Mounts: [hostile] }), status, words);
  await assertPasses(plain({ Mounts: [twin] }));
});

test('two mounts for one place are refused', async () => {
  await assertRefused(
    plain({ Mounts: [directory(RUN), directory(`${STEP}/in`)] }),
    400,
    'two are for',
  );
  await assertPasses(
    plain({ Mounts: [directory(RUN), directory(`${STEP}/in`, { target: '/in' })] }),
  );
});

test.each<[string, Record<string, unknown>, number, string]>([
  ['too much memory', { memoryBytes: 128 * 1024 ** 2 + 1 }, 403, 'memoryBytes'],
  ['no memory', { memoryBytes: 0 }, 400, 'memoryBytes'],
  ['memory without end', { memoryBytes: -1 }, 400, 'memoryBytes'],
  ['memory as text', { memoryBytes: '64' }, 400, 'memoryBytes'],
  ['too many processes', { processes: 65 }, 403, 'processes'],
  ['processes without end', { processes: 0 }, 400, 'processes'],
  ['too many processors', { cpus: 1.5 }, 403, 'cpus'],
  ['scratch space beyond the memory', { tmpBytes: 65 * 1024 ** 2 }, 403, 'tmpBytes'],
  ['files without end', { fileBytes: -1 }, 400, 'fileBytes'],
  ['no bound for memory', { memoryBytes: undefined }, 400, 'memoryBytes'],
  ['no bound for open files', { openFiles: undefined }, 400, 'openFiles'],
  ['a limit that is none', { oom: false }, 400, 'oom'],
])('%s: no container', async (_, change, status, words) => {
  const { Limits } = use.body() as { Limits: Record<string, unknown> };
  await assertRefused(plain({ Limits: { ...Limits, ...change } }), status, words);
  await assertPasses(plain({ Limits }));
});

test('a body without limits, or without a lease, is none', async () => {
  await assertRefused(plain({ Limits: undefined }), 400, 'Limits');
  await assertRefused(plain({ Labels: { run: 'r' } }), 400, 'Labels.lease');
  await assertPasses(plain({ Labels: { run: 'r', lease: 'tests' } }));
});

test.each<[string, Record<string, unknown>]>([
  ['the mark of another deployment', { 'sallyport.deployment': 'other' }],
  ['a deployment', { deployment: 'other' }],
  ['what it has', { lent: '{}' }],
  ['a mark of the engine’s own tools', { 'com.docker.compose.project': 'x' }],
  ['a lease that is none', { lease: '*' }],
  ['text beyond a line', { run: 'a\nb' }],
])('labels that forge %s are refused', async (_, labels) => {
  await assertRefused(plain({ Labels: { lease: 'tests', ...labels } }), 400, /Labels|key/);
  await assertPasses(plain({ Labels: { lease: 'tests' } }));
});

test.each<[string, Record<string, unknown>, string]>([
  ['a program by name', { Cmd: ['sleep'] }, 'absolute path'],
  ['no program', { Cmd: [] }, 'Cmd'],
  ['a program with a NUL', { Cmd: ['/bin/sleep', 'a\0b'] }, 'no text'],
  ['half a character', { Cmd: ['/bin/sleep', '\ud800'] }, 'no text'],
  ['a variable without a value', { Env: ['PATH'] }, 'NAME=value'],
  ['a variable twice', { Env: ['A=1', 'A=2'] }, 'twice'],
  ['a directory that is relative', { WorkingDir: 'tmp' }, 'absolute path'],
])('%s is refused', async (_, change, words) => {
  await assertRefused(plain(change), 400, words);
  await assertPasses(plain());
});

test.each(['a/b', '..%2fb', '-a', '', 'a%00', 'a'.repeat(201)])(
  'the name "%s" is refused',
  async (name) => {
    expect(await attempt(plain(), name)).toMatchObject({ status: 400, reachedEngine: false });
    expect(await attempt(plain(), 'a_b.c-1')).toMatchObject({ status: 201 });
  },
);

test('names are one deployment’s own', async () => {
  const id = await use.create({}, 'taken');
  expect(await attempt(plain(), 'taken')).toMatchObject({ status: 409, reachedEngine: false });
  const { Name } = (await use.engine('GET', `/containers/${id}/json`)).json as { Name: string };
  expect(Name).toBe(`/sallyport-${use.guard.deployment}.taken`);
  await use.remove(id);
  rmSync(join(use.guard.root, 'runs/linked'), { force: true });
});
