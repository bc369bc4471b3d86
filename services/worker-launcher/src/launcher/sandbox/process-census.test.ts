/** Scratch space is measured through the eyes of a process, which for its first moments are the host's. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { descendantsOf, measureScratch, takeCensus } from './process-census.ts';

const FILLED_BYTES = 2_000_000;

it('counts what a sandbox has put into its scratch space', async () => {
  const child = spawn('/usr/bin/bwrap', [
    ...['--unshare-all', '--die-with-parent', '--tmpfs', '/tmp', '--dev', '/dev'],
    ...[
      '--ro-bind',
      '/usr',
      '/usr',
      '--symlink',
      'usr/bin',
      '/bin',
      '--symlink',
      'usr/lib',
      '/lib',
    ],
    ...['--symlink', 'usr/lib64', '/lib64', '--', '/bin/sh', '-c'],
    `head -c ${FILLED_BYTES} /dev/zero > /tmp/filled; echo filled; exec sleep 60`,
  ]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const [inside] = descendantsOf(takeCensus(), child.pid ?? 0);
  const measured = measureScratch(inside?.pid ?? 0, ['/tmp']);
  expect(measured).toBeGreaterThanOrEqual(FILLED_BYTES);
  expect(measured).toBeLessThan(FILLED_BYTES + 100_000);
  // A place of its own that is no file system in memory counts with what is written to disk.
  expect(measureScratch(inside?.pid ?? 0, ['/usr'])).toBe(0);
});

it('counts nothing of the host, which a sandbox still sees while it is being set up', () => {
  expect(measureScratch(process.pid, ['/tmp', '/dev/shm', '/'])).toBe(0);
});

it('counts nothing of a process that has ended', () => {
  expect(measureScratch(2 ** 30, ['/tmp'])).toBe(0);
});
