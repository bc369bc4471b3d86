import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findControlGroups } from '../sandbox/control-groups.ts';
import type { Check } from './check.ts';
import { checkSandboxes } from './sandbox-checks.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'doctor-test-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function byId(checks: readonly Check[]): Record<string, Check> {
  return Object.fromEntries(checks.map((check) => [check.id, check]));
}

/** A bubblewrap that changes what it is told. */
function bubblewrapThat(change: string): string {
  const path = join(directory, 'bwrap');
  writeFileSync(path, `#!/bin/bash\nargs=()\n${change}\nexec /usr/bin/bwrap "\${args[@]}"\n`);
  chmodSync(path, 0o755);
  return path;
}

/** The checks as a program, after `prepare` in namespaces of its own. */
function runPrepared(prepare: string, at = directory): Record<string, Check> {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const node = [process.execPath, '--import', 'tsx', main, '--directory', at];
  const words = ['--user', '--map-root-user', '--mount', '--', '/bin/sh', '-c'];
  const { stdout } = spawnSync(
    '/usr/bin/unshare',
    [...words, `${prepare}; exec "$@"`, 'sh', ...node],
    { cwd: fileURLToPath(new URL('.', import.meta.url)), encoding: 'utf8' },
  );
  return byId((JSON.parse(stdout) as { checks: Check[] }).checks);
}

describe('the checks of sandboxes', () => {
  test('pass here, in every part that a launcher needs', async () => {
    const checks = byId(await checkSandboxes({ directory }));
    expect(Object.keys(checks).toSorted()).toEqual([
      'limits_enforced_by',
      'overlay',
      'sandbox_is_empty',
      'sandbox_starts',
      'step_mount',
      'user_namespaces',
    ]);
    const { limits_enforced_by: limits, ...others } = checks;
    expect(Object.values(others).map(({ id, result }) => `${id} ${result}`)).toEqual(
      Object.keys(others).map((id) => `${id} pass`),
    );
    const { controllers } = findControlGroups();
    const whole = controllers.includes('memory') && controllers.includes('pids');
    expect(limits?.result).toBe(whole ? 'pass' : 'warn');
  });

  test('fail where there is no bubblewrap, with what to install, and try nothing further', async () => {
    const checks = await checkSandboxes({ directory, binary: join(directory, 'none') });
    expect(checks.map(({ id }) => id)).toEqual(['user_namespaces', 'sandbox_starts']);
    expect(byId(checks)['sandbox_starts']).toMatchObject({
      result: 'fail',
      message: expect.stringContaining('is not there'),
      mend: expect.stringContaining('install the packages bubblewrap'),
    });
  });

  test('warn where no control group can be made, and say what is sampled', async () => {
    const controlGroups = findControlGroups('/nonexistent');
    const { limits_enforced_by: limits } = byId(await checkSandboxes({ directory, controlGroups }));
    expect(limits).toMatchObject({
      result: 'warn',
      message: expect.stringContaining('memory by the sampler'),
      mend: expect.stringContaining('control group'),
    });
  });

  test.each([
    [
      'the network',
      'for a; do if [ "$a" = --unshare-all ]; then args+=(--unshare-pid --unshare-ipc --unshare-uts); else args+=("$a"); fi; done',
      'a port of this host can be reached',
    ],
    [
      'processes',
      'for a; do if [ "$a" = --unshare-all ]; then args+=(--unshare-net --unshare-ipc --unshare-uts); else args+=("$a"); fi; done',
      'processes of this host are seen',
    ],
    [
      'files',
      'for a; do if [ "$a" = -- ] && [ -z "$done" ]; then args+=(--bind /tmp /tmp); done=1; fi; args+=("$a"); done',
      'a file of this host can be read',
    ],
  ])('fail when a sandbox lets %s through', async (_, change, problem) => {
    const { sandbox_is_empty: empty } = byId(
      await checkSandboxes({ directory, binary: bubblewrapThat(change) }),
    );
    expect(empty).toMatchObject({ result: 'fail', message: expect.stringContaining(problem) });
  });

  test('pass with a bubblewrap that changes nothing', async () => {
    const binary = bubblewrapThat('args=("$@")');
    const { sandbox_is_empty: empty } = byId(await checkSandboxes({ directory, binary }));
    expect(empty?.result).toBe('pass');
  });
});

describe('the checks as a program', () => {
  test('pass in namespaces of their own', () => {
    const checks = runPrepared('true');
    expect(checks['user_namespaces']?.result).toBe('pass');
    expect(checks['overlay']?.result).toBe('pass');
  });

  test('fail where the kernel refuses user namespaces', () => {
    const checks = runPrepared('echo 0 > /proc/sys/user/max_user_namespaces');
    expect(checks['user_namespaces']).toMatchObject({
      result: 'fail',
      mend: expect.stringContaining('user.max_user_namespaces'),
    });
    expect(checks['sandbox_starts']?.result).toBe('fail');
  });

  test('warn where the file system takes no overlay, and say that steps get copies', () => {
    const prepare = `(cd ${directory} && mkdir lower upper work over && mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr over)`;
    const checks = runPrepared(prepare, join(directory, 'over'));
    expect(checks['overlay']).toMatchObject({ result: 'warn' });
    expect(checks['step_mount']).toMatchObject({
      result: 'warn',
      message: expect.stringContaining('copy'),
    });
  });
});
