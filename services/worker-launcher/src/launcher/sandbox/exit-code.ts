/**
 * What an exit status says. Both bubblewrap and an engine's init report a death by signal as 128 + number. Only signals that
 * end a program which did not ask for them are told apart from the same number given to exit(): git, for one, exits with
 * 128 and 129.
 */
import type { SandboxEnd } from './driver.ts';

const FATAL_SIGNALS: ReadonlyMap<number, string> = new Map([
  [4, 'SIGILL'],
  [6, 'SIGABRT'],
  [7, 'SIGBUS'],
  [8, 'SIGFPE'],
  [9, 'SIGKILL'],
  [11, 'SIGSEGV'],
  [15, 'SIGTERM'],
  [24, 'SIGXCPU'],
  [25, 'SIGXFSZ'],
  [31, 'SIGSYS'],
]);

/** The end that this status stands for. */
export function endOfCode(code: number): SandboxEnd {
  const signal = FATAL_SIGNALS.get(code - 128);
  return signal === undefined ? { kind: 'exited', code } : { kind: 'signalled', signal };
}
