import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBubblewrapDriver } from './bubblewrap-driver.ts';
import { parentsIn, readHierarchies } from '@sallyport/shared/control-group-places';
import { findControlGroups } from './control-groups.ts';
import { nodeInside } from './root-layout.ts';
import { MIB, shellSpec } from './sandbox-fixture.ts';

const BOTH = ['memory', 'pids'] as const;
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'control-groups-'));
  mkdirSync(join(root, 'proc/self'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

function machine(mounts: readonly string[], groups: readonly string[]): void {
  writeFileSync(join(root, 'proc/self/mountinfo'), `${mounts.join('\n')}\n`);
  writeFileSync(join(root, 'proc/self/cgroup'), `${groups.join('\n')}\n`);
}

describe('where groups can be made', () => {
  test('is read for the first generation, a hierarchy per controller, the own group first', () => {
    machine(
      [
        '30 25 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
        '31 25 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids',
        '32 25 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
      ],
      ['8:pids:/a/b', '4:memory:/a', '0::/a'],
    );
    const found = readHierarchies(root, BOTH);
    expect(found.map((h) => [h.version, h.controllers, h.own])).toEqual([
      [1, ['pids'], '/a/b'],
      [1, ['memory'], '/a'],
      [2, ['memory', 'pids'], '/a'],
    ]);
    expect(
      found
        .slice(0, 1)
        .flatMap((h) => parentsIn(h, ''))
        .slice(0, 2),
    ).toEqual(['/sys/fs/cgroup/pids/a/b', '/sys/fs/cgroup/pids/a']);
  });

  test('is above the own group in the second generation, where a group with processes has none with limits', () => {
    machine(
      ['30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw'],
      ['0::/user.slice/sallyport/launcher'],
    );
    const [unified] = readHierarchies(root, BOTH);
    expect(unified === undefined ? [] : parentsIn(unified, '')).toEqual([
      '/sys/fs/cgroup/user.slice/sallyport',
      '/sys/fs/cgroup/user.slice',
      '/sys/fs/cgroup/',
    ]);
  });

  test('is told from the mount in a container, which shows its own part alone', () => {
    machine(
      ['30 25 0:26 /docker/c1 /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids'],
      ['8:pids:/docker/c1/inner'],
    );
    expect(readHierarchies(root, BOTH).map((h) => h.own)).toEqual(['/inner']);
  });

  test('is nowhere when nothing is mounted or nothing may be written, and that is said', () => {
    machine([], ['0::/']);
    expect(findControlGroups(root)).toMatchObject({
      controllers: [],
      problem: 'memory and pids: no control group of this kind is mounted',
    });
    machine(['30 25 0:26 / /nowhere rw - cgroup cgroup rw,memory'], ['4:memory:/']);
    const none = findControlGroups(root);
    expect([none.controllers, none.problem]).toEqual([[], expect.stringContaining('ENOENT')]);
    expect(none.create('x', { memoryBytes: 1, processes: 1 }).directories).toEqual([]);
  });

  test('is not where a directory can be made and has no limits to write, and nothing is left there', () => {
    machine(['30 25 0:26 / /plain rw - cgroup cgroup rw,memory'], ['4:memory:/']);
    mkdirSync(join(root, 'plain'));
    expect(findControlGroups(root)).toMatchObject({
      controllers: [],
      problem: expect.stringContaining('memory.limit_in_bytes'),
    });
    expect(existsSync(join(root, 'plain'))).toBe(true);
    expect(readFileSync(join(root, 'proc/self/cgroup'), 'utf8')).toBe('4:memory:/\n');
  });
});

// A child that takes what its parent may not have: the shell stays small and would go on.
const greedyChild = (mib: number): string =>
  `${nodeInside()} -e 'const a = Buffer.alloc(${mib} * 1048576, 1); setTimeout(() => console.log(a.length), 400)'; echo survived; sleep 5`;

describe.each(['whatever this machine has', 'nothing but the sampler'])('with %s', (means) => {
  const driver = createBubblewrapDriver(
    means === 'nothing but the sampler' ? { controlGroups: findControlGroups('/nonexistent') } : {},
  );

  test('a child over the memory limit ends the sandbox, one under it does not', async () => {
    const over = await driver.run(
      shellSpec(greedyChild(300), { limits: { memoryBytes: 200 * MIB } }),
    );
    expect(over.end).toEqual({ kind: 'memory_limit' });
    const under = await driver.run(
      shellSpec(greedyChild(50).replace('; sleep 5', ''), { limits: { memoryBytes: 200 * MIB } }),
    );
    expect([under.end, under.stdout.text]).toEqual([
      { kind: 'exited', code: 0 },
      expect.stringContaining('survived'),
    ]);
  });

  test('memory of no process counts too: files in memory, empty ones included', async () => {
    const fill = (count: number): string =>
      `cd /tmp && ${nodeInside()} -e 'for (let i = 0; i < ${count}; i++) require("fs").writeFileSync("e" + i, "")' && sleep 0.5`;
    const memoryBytes = 120 * MIB;
    const over = await driver.run(shellSpec(fill(150_000), { limits: { memoryBytes } }));
    expect(over.end).toEqual({ kind: 'memory_limit' });
    const under = await driver.run(shellSpec(fill(2_000), { limits: { memoryBytes } }));
    expect(under.end).toEqual({ kind: 'exited', code: 0 });
  });

  test('a fork bomb ends, and so few processes as are allowed pass', async () => {
    const bomb =
      'b() { [ $1 -gt 0 ] && { b $(($1 - 1)) | b $(($1 - 1)) & }; }; b 9; sleep 3; echo survived';
    const argv = ['/bin/bash', '-c', bomb] as const;
    const exit = await driver.run(
      shellSpec('', { argv, limits: { processes: 60, wallMs: 2_000 } }),
    );
    expect(['process_limit', 'timed_out']).toContain(exit.end.kind);
    const twin = await driver.run(
      shellSpec('sleep 0.1 & sleep 0.1 & wait; echo survived', { limits: { processes: 60 } }),
    );
    expect(twin.stdout.text).toBe('survived\n');
  });
});

test('the driver says what bounds its sandboxes, and the kernel is not named where it does not', () => {
  const groups = findControlGroups();
  expect(createBubblewrapDriver().limitsEnforcedBy.memory).toBe(
    groups.controllers.includes('memory') ? 'kernel' : 'sampler',
  );
  const none = createBubblewrapDriver({ controlGroups: findControlGroups('/nonexistent') });
  expect(none.limitsEnforcedBy).toEqual({
    memory: 'sampler',
    processes: process.getuid?.() === 0 ? 'sampler' : 'kernel',
    problem: 'memory and pids: no control group of this kind is mounted',
  });
});

test('no control group of a sandbox is left', async () => {
  const groups = findControlGroups();
  const group = groups.create('sallyport-test-left', { memoryBytes: 2 ** 28, processes: 10 });
  expect(group.directories.every((directory) => existsSync(directory))).toBe(true);
  for (const directory of group.directories) {
    const enter = 'echo $$ > "$1/cgroup.procs" && cat "$1/cgroup.procs" | wc -l';
    expect(spawnSync('/bin/sh', ['-c', enter, 'sh', directory]).status).toBe(0);
  }
  group.remove();
  expect(group.directories.some((directory) => existsSync(directory))).toBe(false);
});
