/**
 * One bootstrap at a time in a checkout. The lock is a directory of numbered symlinks; the highest one tells who holds it
 * (`pid:start time`) or that nobody does (`free`). A symlink is made whole or not at all, and taking over from a holder
 * that died means making the next number, which only one can: so no two can ever both take over, as they can with a lock
 * file that is deleted and made anew.
 */
import { mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './say.mjs';

const POLL_MS = 100;
const FREE = 'free';

/** Runs `act` while holding the lock, waiting for it as long as its holder lives. */
export async function withLock(directory, act) {
  const number = await acquire(directory);
  try {
    return await act();
  } finally {
    release(directory, number);
  }
}

/** Whether the holder written as `pid:start time` is a process that still runs. */
export function holderLives(holder) {
  const [pid, startTime] = holder.split(':');
  return startTimeOf(Number(pid)) === startTime;
}

async function acquire(directory) {
  mkdirSync(directory, { recursive: true });
  let told = false;
  for (;;) {
    const highest = Math.max(0, ...numbers(directory));
    const holder = highest === 0 ? FREE : read(directory, highest);
    if (holder === undefined || holder === FREE || !holderLives(holder)) {
      if (make(directory, highest + 1) && isHighest(directory, highest + 1)) {
        dropBelow(directory, highest + 1);
        return highest + 1;
      }
      continue;
    }
    if (!told) say(`waiting for another start in this checkout (process ${holder.split(':')[0]})`);
    told = true;
    await sleep(POLL_MS);
  }
}

function release(directory, number) {
  symlinkSync(FREE, join(directory, String(number + 1)));
  dropBelow(directory, number + 1);
}

function make(directory, number) {
  try {
    symlinkSync(`${process.pid}:${startTimeOf(process.pid)}`, join(directory, String(number)));
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** A slow process may make a number that others have long passed and removed; it then holds nothing. */
function isHighest(directory, number) {
  if (Math.max(...numbers(directory)) === number) return true;
  rmSync(join(directory, String(number)), { force: true });
  return false;
}

function dropBelow(directory, number) {
  for (const lower of numbers(directory)) {
    if (lower < number) rmSync(join(directory, String(lower)), { force: true });
  }
}

function numbers(directory) {
  return readdirSync(directory).map(Number).filter(Number.isInteger);
}

function read(directory, number) {
  try {
    return readlinkSync(join(directory, String(number)));
  } catch {
    return undefined;
  }
}

/** In clock ticks since boot: a pid alone is reused. Where there is no /proc, being there has to do. */
function startTimeOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    if (process.platform === 'linux') return undefined;
  }
  try {
    process.kill(pid, 0);
    return '0';
  } catch {
    return undefined;
  }
}
