/**
 * Named moments at which a test can kill the process for good, to prove that the line goes on after it. In production the
 * variable is not set and a crash point costs one comparison.
 */
import { writeSync } from 'node:fs';

const CRASH_AT = process.env['SALLYPORT_CRASH_POINT'];

/** Dies here by SIGKILL, without any clean-up, when `SALLYPORT_CRASH_POINT` names this moment. */
export function crashPoint(name: string): void {
  if (CRASH_AT !== name) return;
  writeSync(2, `crash_point ${name}\n`);
  process.kill(process.pid, 'SIGKILL');
  // SIGKILL is delivered asynchronously; nothing after this line may run.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
