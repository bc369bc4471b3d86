import { spawn, spawnSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holderLives, withLock } from './lock.mjs';

let root = '';
let lock = '';
beforeEach(() => {
  root = mkdtempSync('/tmp/sp-test-lock-');
  lock = join(root, 'lock');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const ownHolder = () =>
  `${process.pid}:${readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')[19]}`;

describe('withLock', () => {
  it('holds the lock while it acts and frees it afterwards, also after a failure', async () => {
    await withLock(lock, () => {
      expect(readdirSync(lock).map((name) => readlinkSync(join(lock, name)))).toEqual([
        ownHolder(),
      ]);
    });
    await expect(
      withLock(lock, () => {
        throw new Error('no disk');
      }),
    ).rejects.toThrow('no disk');
    expect(readdirSync(lock).map((name) => readlinkSync(join(lock, name)))).toEqual(['free']);
  });

  it('takes over from a holder that ended, and waits for one that lives', async () => {
    const { pid } = spawnSync('true');
    await withLock(lock, () => undefined);
    symlinkSync(`${pid}:1`, join(lock, '7'));
    await withLock(lock, () => undefined);

    symlinkSync(ownHolder(), join(lock, '20'));
    let entered = false;
    const waiting = withLock(lock, () => {
      entered = true;
    });
    await sleep(300);
    expect(entered).toBe(false);
    symlinkSync('free', join(lock, '21'));
    await waiting;
    expect(entered).toBe(true);
  });

  it('lets one of many processes in at a time, all starting behind a dead holder', async () => {
    const { pid } = spawnSync('true');
    const script = join(root, 'count.mjs');
    const counter = join(root, 'counter');
    writeFileSync(counter, '0');
    writeFileSync(
      script,
      `import { readFileSync, writeFileSync } from 'node:fs';
       import { setTimeout as sleep } from 'node:timers/promises';
       import { withLock } from ${JSON.stringify(join(import.meta.dirname, 'lock.mjs'))};
       for (let i = 0; i < 5; i++) await withLock(${JSON.stringify(lock)}, async () => {
         const count = Number(readFileSync(${JSON.stringify(counter)}, 'utf8'));
         await sleep(5);
         writeFileSync(${JSON.stringify(counter)}, String(count + 1));
       });`,
    );
    await withLock(lock, () => undefined);
    symlinkSync(`${pid}:1`, join(lock, '50'));
    const codes = await Promise.all(
      Array.from(
        { length: 6 },
        () =>
          new Promise((resolve) => {
            spawn(process.execPath, [script], { stdio: 'ignore' }).once('exit', resolve);
          }),
      ),
    );
    expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
    expect(readFileSync(counter, 'utf8')).toBe('30');
  }, 20_000);
});

describe('holderLives', () => {
  it('does not take a process that got the same pid later for the holder', () => {
    expect(holderLives(ownHolder())).toBe(true);
    expect(holderLives(`${process.pid}:1`)).toBe(false);
  });
});
