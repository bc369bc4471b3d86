/** Whenever a launcher is killed while it starts a sandbox, neither a process nor a control group is left of it. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@sallyport/shared/ids';
import { expect, it } from 'vitest';
import { findControlGroups } from './control-groups.ts';

const PROBE = join(import.meta.dirname, 'killed-start-probe.ts');

function processesOf(mark: string): number {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return words.includes(mark) && !words.includes('killed-start-probe');
    } catch {
      return false;
    }
  }).length;
}

function leftOf(mark: string): number {
  const directories = findControlGroups().directoriesOf(`sallyport-${mark}`);
  return processesOf(mark) + directories.filter((directory) => existsSync(directory)).length;
}

function start(mark: string, moment: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', PROBE, mark, moment], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once('exit', (_, signal) => resolve(signal)),
  );
  return { child, ended };
}

it.each(['group_made', 'started_not_registered'])('killed at %s', async (moment) => {
  const mark = newId();
  expect(await start(mark, moment).ended).toBe('SIGKILL');
  await expect.poll(() => leftOf(mark), { timeout: 20_000 }).toBe(0);
});

it('killed when it runs, and until then it is there to be found', async () => {
  const mark = newId();
  const { child, ended } = start(mark, 'never');
  await new Promise((resolve) => child.stdout.once('data', resolve));
  expect(leftOf(mark)).toBeGreaterThan(0);
  child.kill('SIGKILL');
  expect(await ended).toBe('SIGKILL');
  await expect.poll(() => leftOf(mark), { timeout: 20_000 }).toBe(0);
});
