/** What the end of an environment's sandbox, and what was found in it, have against its being used. */
import type { TakenEnvironment } from '../collector/take-environment.ts';
import type { SandboxEnd } from '../sandbox/driver.ts';
import type { EnvironmentProblem } from './choose-environment.ts';

/** The problem that this end stands for; undefined when every command exited with 0. */
export function judgeCommands(
  end: SandboxEnd,
  timeoutMinutes: number,
): EnvironmentProblem | undefined {
  switch (end.kind) {
    case 'exited':
      if (end.code === 0) return undefined;
      return problem('command_failed', `a command exited with ${end.code}`);
    case 'signalled':
      return problem('signalled', `a command died of ${end.signal}`);
    case 'timed_out':
      return problem('timed_out', `the commands did not end within ${timeoutMinutes} min`);
    case 'output_limit':
      return problem('output_limit', 'the commands printed more than they may');
    case 'memory_limit':
      return problem('memory_limit', 'the commands used more memory than they may');
    case 'process_limit':
      return problem('process_limit', 'the commands ran more processes than they may');
    case 'disk_limit':
      return problem('disk_limit', 'the commands wrote more than they may');
    case 'stopped':
      return problem('stopped', 'the commands were stopped');
    case 'start_failed':
      return problem('start_failed', `the sandbox did not start (${end.reason}): ${end.detail}`);
  }
}

/** What was taken in, or why it cannot be used. */
export function judgeProduced(
  taken: TakenEnvironment,
): Extract<TakenEnvironment, { kind: 'taken' }> | EnvironmentProblem {
  if (taken.kind === 'refused') {
    return problem(`produced_${taken.reason}`, `what was made cannot be kept: ${taken.message}`);
  }
  if (taken.paths.length > 0) return taken;
  const where = taken.missing.join(', ');
  return problem(
    'nothing_produced',
    `the commands ended well, and at ${where} lies nothing but what the tree has; name under "produces" what they make`,
  );
}

function problem(reason: string, message: string): EnvironmentProblem {
  return { reason, message };
}
