import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readFormerInstances } from './former-instances.ts';
import { readProcess } from './process-census.ts';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'instances-test-'));
  readFormerInstances(stateDir, 'own');
});
afterEach(() => rmSync(stateDir, { recursive: true }));

/** Writes a record down that differs from this process's own in what is given. */
function record(instance: string, over: Record<string, unknown>): void {
  const own = JSON.parse(readFileSync(join(stateDir, 'instances/own'), 'utf8')) as object;
  writeFileSync(join(stateDir, 'instances', instance), JSON.stringify({ ...own, ...over }));
}
function dead(): readonly string[] {
  return readFormerInstances(stateDir, 'next').dead;
}

test('a process that ended is dead, one that runs is not', async () => {
  const { pid: gone } = spawnSync('/bin/true');
  record('gone', { pid: gone });
  const running = spawn('/bin/sleep', ['60']);
  await once(running, 'spawn');
  const pid = running.pid ?? 0;
  record('running', { pid, startTicks: readProcess(pid)?.startTicks });
  expect(dead()).toEqual(['gone']);
  running.kill();
});

test('a number that was given to another process since says nothing of the first', () => {
  record('replaced', { startTicks: 1 });
  expect(dead()).toEqual(['replaced']);
});

test('after a reboot all are dead', () => {
  record('before', { boot: 'another', namespace: 'pid:[1]' });
  expect(dead()).toEqual(['before']);
});

test('what cannot be judged from here counts as alive', () => {
  record('elsewhere', { namespace: 'pid:[1]', pid: 1, startTicks: 1 });
  writeFileSync(join(stateDir, 'instances/broken'), '{');
  expect(dead()).toEqual([]);
});

test('one that was forgotten is not told of again', () => {
  record('gone', { startTicks: 1 });
  const former = readFormerInstances(stateDir, 'next');
  for (const instance of former.dead) former.forget(instance);
  expect(dead()).toEqual([]);
});
