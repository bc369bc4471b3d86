/**
 * Kills the process at a named moment when a test asks for it, to prove that the line goes on after it. In production
 * neither variable is set and a crash point costs one comparison.
 * `SALLYPORT_CRASH_POINT` names one moment for this process. `SALLYPORT_CRASH_DIR` is a directory in which a file with the
 * name of a moment arms it, for whichever process gets there first; the file is renamed before the end, so a moment that
 * was armed once kills once, and the next can be armed without a restart.
 */
import { renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { CrashPoint } from './crash-points.ts';

const CRASH_AT = process.env['SALLYPORT_CRASH_POINT'];
const CRASH_DIR = process.env['SALLYPORT_CRASH_DIR'];
const CAN_CRASH = CRASH_AT !== undefined || CRASH_DIR !== undefined;

/** Dies here by SIGKILL, without any clean-up, when this moment is armed; says so on standard error first. */
export function crashPoint(name: CrashPoint): void {
  if (!CAN_CRASH) return;
  if (CRASH_AT !== name && !disarm(name)) return;
  writeSync(2, `crash_point ${name}\n`);
  process.kill(process.pid, 'SIGKILL');
  // SIGKILL is delivered asynchronously; nothing after this line may run.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function disarm(name: CrashPoint): boolean {
  if (CRASH_DIR === undefined) return false;
  try {
    // Of two processes that get here at once only one can rename it.
    renameSync(join(CRASH_DIR, name), join(CRASH_DIR, `${name}.fired`));
    return true;
  } catch {
    return false;
  }
}
