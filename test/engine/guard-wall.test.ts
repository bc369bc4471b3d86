/** What a container that the guard made looks like from inside and to its engine, and what its directories let through. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SYSTEM_CALL_PROFILE } from '../../services/worker-launcher/src/engine-guard/containers/system-calls.ts';
import { RUN, STEP, useGuard } from './guard-fixture.ts';

const use = useGuard();
const OUT = { kind: 'directory', name: `${STEP}/out`, target: '/out', readOnly: false };

async function makeOut(): Promise<void> {
  expect(await use.guard.call('PUT', `/workspace/directories/${STEP}/out`)).toMatchObject({
    status: 204,
  });
}

test('a sandbox has no privilege, no network, nothing of the image to run before it, and a root nobody writes to', async () => {
  const { output, code } = await use.run(
    'id; hostname; grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status; ls /sys/class/net; echo x > /etc/x; echo x > /tmp/x && chmod 700 /tmp/x; env; cat /proc/1/cmdline | tr "\\0" " "',
  );
  expect(code).toBe(0);
  expect(output).toMatch(/^uid=20000 gid=20000/);
  expect(output.match(/^Cap\w+:\t0+$/gm)).toHaveLength(5);
  expect(output).toContain('NoNewPrivs:\t1');
  expect(output).toContain('Seccomp:\t2');
  expect(output).toContain("can't create /etc/x: Read-only file system");
  expect(output).toMatch(/\nsandbox\n/);
  expect(output.match(/^(lo|eth\w*)$/gm)).toEqual(['lo']);
});

test('the engine was told the limits, and what would weaken the wall is off', async () => {
  const id = await use.create();
  const { HostConfig, Config } = (await use.engine('GET', `/containers/${id}/json`)).json as {
    HostConfig: Record<string, unknown>;
    Config: Record<string, unknown>;
  };
  expect(HostConfig).toMatchObject({
    ...{ Memory: 67_108_864, MemorySwap: 67_108_864, PidsLimit: 32, OomKillDisable: false },
    ...{ Privileged: false, ReadonlyRootfs: true, CapDrop: ['ALL'], NetworkMode: 'none' },
    ...{ PidMode: '', IpcMode: 'private' },
    SecurityOpt: ['no-new-privileges:true', `seccomp=${SYSTEM_CALL_PROFILE}`],
    ...{ AutoRemove: false, LogConfig: { Type: 'none' }, Binds: null },
  });
  expect(Config).toMatchObject({ User: '20000:20000', Image: use.image, Hostname: 'sandbox' });
  await use.remove(id);
});

test('a file, a scratch directory, and memory are bounded', async () => {
  await makeOut();
  const { output } = await use.run(
    'trap "" XFSZ; dd if=/dev/zero of=/out/big bs=64k count=64 2>&1 | tail -1; ls -l /out/big; dd if=/dev/zero of=/tmp/big bs=64k count=64 2>&1; ls -l /tmp/big; ulimit -n',
    { Mounts: [OUT] },
  );
  expect(output).toMatch(/ 1048576 .*\/out\/big/);
  expect(output).toMatch(/ 1048576 .*\/tmp\/big/);
  expect(output).toMatch(/\n64\n$/);
  const id = await use.create({ Cmd: ['/bin/sh', '-c', 'x=$(yes | head -c 200000000)'] });
  const exit = use.guard.call('POST', `/containers/${id}/wait?condition=next-exit`);
  await use.start(id);
  await exit;
  expect((await use.guard.call('GET', `/containers/${id}/json`)).json).toMatchObject({
    State: { OOMKilled: true },
  });
  await use.remove(id);
});

test('what a sandbox writes belongs to its own user, and is read and removed by name', async () => {
  await makeOut();
  await use.run('echo done > /out/hand-off.json; mkdir -p /out/deep; chmod 0 /out/deep', {
    Mounts: [OUT],
  });
  const host = join(use.guard.root, STEP, 'out');
  expect(lstatSync(join(host, 'hand-off.json'))).toMatchObject({ uid: 20_000, gid: 20_000 });
  const read = await use.guard.call('GET', `/workspace/files/${STEP}/out/hand-off.json?max=5`);
  expect([read.status, read.body.toString()]).toEqual([200, 'done\n']);
  const usage = (await use.guard.call('GET', `/workspace/usage/${STEP}`)).json as { bytes: number };
  expect(usage.bytes).toBeGreaterThan(4_096);
  expect(await use.guard.call('DELETE', `/workspace/directories/${STEP}/out`)).toMatchObject({
    status: 204,
  });
  expect(existsSync(host)).toBe(false);
  expect(await use.guard.call('DELETE', `/workspace/directories/${STEP}/out`)).toMatchObject({
    status: 204,
  });
});

test('an input is written for a sandbox that can read and not change it', async () => {
  const files = `/workspace/files/${STEP}/in`;
  expect(await use.guard.call('PUT', `${files}/prompt.md`, 'first')).toMatchObject({ status: 204 });
  expect(await use.guard.call('PUT', `${files}/prompt.md`, 'go')).toMatchObject({ status: 204 });
  expect(await use.guard.call('PUT', `${files}/hand-offs/plan.json`, '{}')).toMatchObject({
    status: 204,
  });
  const mount = { kind: 'directory', name: `${STEP}/in`, target: '/in', readOnly: true };
  const { output } = await use.run(
    'exec 2>&1; cat /in/prompt.md /in/hand-offs/plan.json; echo x > /in/prompt.md',
    { Mounts: [mount] },
  );
  expect(output).toMatch(/^go\{\}/);
  expect(output).toContain('Read-only file system');
  expect(readdirSync(join(use.guard.root, STEP, 'in')).toSorted()).toEqual([
    'hand-offs',
    'prompt.md',
  ]);
});

test('an overlay takes what is written and leaves its layers, and goes with its container', async () => {
  const tree = `${RUN}/trees/${'a'.repeat(40)}`;
  for (const part of ['files', 'git/.git'])
    mkdirSync(join(use.guard.root, tree, part), { recursive: true });
  for (const name of ['kept', 'gone'])
    writeFileSync(join(use.guard.root, tree, 'files', name), name);
  const overlay = {
    kind: 'overlay',
    layers: [`${tree}/git`, `${tree}/files`],
    view: `${STEP}/view`,
    target: '/work',
    readOnly: false,
  };
  const { code, output } = await use.run(
    'cd /work && echo new > made && ls -A && stat -c %U:%a .',
    { Mounts: [overlay] },
  );
  expect([code, output]).toEqual([0, '.git\ngone\nkept\nmade\nUNKNOWN:700\n']);
  const upper = join(use.guard.root, STEP, 'view/upper');
  expect(readFileSync(join(upper, 'made'), 'utf8')).toBe('new\n');
  expect(readdirSync(join(use.guard.root, tree, 'files')).toSorted()).toEqual(['gone', 'kept']);

  const look = {
    ...overlay,
    layers: [`${STEP}/view/upper`, ...overlay.layers],
    view: `${STEP}/look`,
    readOnly: true,
  };
  const seen = await use.run('exec 2>&1; cat /work/made; echo x > /work/x', { Mounts: [look] });
  expect(seen.output).toContain('new\n');
  expect(seen.output).toContain('Read-only file system');
  const volumes = (await use.engine('GET', '/volumes')).json as {
    Volumes: { Labels: Record<string, string> }[] | null;
  };
  expect(
    (volumes.Volumes ?? []).filter(
      (v) => v.Labels['sallyport.deployment'] === use.guard.deployment,
    ),
  ).toEqual([]);
  expect(statSync(upper).mode & 0o777).toBe(0o700);
});
