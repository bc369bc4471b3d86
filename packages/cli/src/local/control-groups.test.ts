import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { spawnBound } from './bound-process.ts';
import { handOutControlGroups, NO_GROUPS } from './control-groups.ts';
import { isRoot } from './os-account.ts';

const ACCOUNT = { name: 'test/launcher', uid: 1_699_999_990, gid: 1_699_999_990 };
// In each group of its own, and in the one above, that it was not given.
const TRY = `
for place in "$@"; do
  mkdir "$place/inner" 2>/dev/null && echo "made in the own" && rmdir "$place/inner"
  mkdir "$place/../outside" 2>/dev/null && echo "made above"
done
id -u`;

function runIn(enter: readonly string[]): Promise<string> {
  const child = spawnBound({
    argv: ['/bin/sh', '-c', TRY, 'sh', ...enter],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    account: ACCOUNT,
    controlGroups: enter,
    deathSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout?.on('data', (piece: Buffer) => (said += piece.toString()));
  return new Promise((resolve) => child.once('close', () => resolve(said)));
}

test('the user gets groups in which it can make others, none above them, and they go when it does', async () => {
  const groups = handOutControlGroups(`test-${process.pid}`, isRoot() ? ACCOUNT : undefined);
  if (!isRoot()) return expect(groups).toBe(NO_GROUPS);
  const said = await runIn(groups.enter);
  expect(said).toBe(`${'made in the own\n'.repeat(groups.enter.length)}${ACCOUNT.uid}\n`);
  // As if a launcher had been killed with a sandbox.
  for (const directory of groups.enter) mkdirSync(join(directory, 'left'));
  await groups.remove();
  for (const directory of groups.enter) expect(existsSync(directory)).toBe(false);
});

test('who has no user of its own gets no group, and nothing is made', async () => {
  expect(handOutControlGroups('test', undefined)).toBe(NO_GROUPS);
  await NO_GROUPS.remove();
});

test('where a hierarchy cannot be written, none is handed out and nothing is left', async () => {
  const root = mkdtempSync(join(tmpdir(), 'groups-test-'));
  try {
    const files = {
      'proc/self/mountinfo': '30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n',
      'proc/self/cgroup': '0::/a\n',
      'sys/fs/cgroup/a/cgroup.procs': '',
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    const groups = handOutControlGroups('test', ACCOUNT, root);
    expect(groups.enter).toEqual([]);
    await groups.remove();
    expect(readdirSync(join(root, 'sys/fs/cgroup'))).toEqual(['a']);
  } finally {
    rmSync(root, { recursive: true });
  }
});
