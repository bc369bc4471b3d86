import { expect, test } from 'vitest';
import type { SandboxEnd } from '../sandbox/driver.ts';
import { judgeExit } from './judge-exit.ts';

test('an exit with 0 is no failure, one with anything else is', () => {
  expect(judgeExit({ end: { kind: 'exited', code: 0 } })).toBeUndefined();
  expect(judgeExit({ end: { kind: 'exited', code: 3 } })).toEqual({
    reason: 'exit_code',
    message: 'the agent exited with 3',
  });
});

test.each<[SandboxEnd, string]>([
  [{ kind: 'signalled', signal: 'SIGSEGV' }, 'signalled'],
  [{ kind: 'timed_out' }, 'timed_out'],
  [{ kind: 'output_limit' }, 'output_limit'],
  [{ kind: 'memory_limit' }, 'memory_limit'],
  [{ kind: 'process_limit' }, 'process_limit'],
  [{ kind: 'disk_limit' }, 'disk_limit'],
  [{ kind: 'stopped' }, 'stopped'],
])('the end %o has its reason', (end, reason) => {
  expect(judgeExit({ end })?.reason).toBe(reason);
});

test("a sandbox that does not start says why, in the driver's own words", () => {
  const end = {
    kind: 'start_failed',
    reason: 'mount_missing',
    detail: '/opt/agent is not there',
  } as const;
  expect(judgeExit({ end })?.message).toContain('/opt/agent is not there');
});
