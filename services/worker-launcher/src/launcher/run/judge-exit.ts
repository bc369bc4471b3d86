/** What the end of an agent's sandbox means for its step: nothing bad, or a reason code and words for people. */
import type { SandboxExit } from '../sandbox/driver.ts';

export interface StepFailure {
  reason: string;
  message: string;
}

/** The failure that this end stands for; undefined when the agent exited with 0. */
export function judgeExit({ end }: Pick<SandboxExit, 'end'>): StepFailure | undefined {
  switch (end.kind) {
    case 'exited':
      if (end.code === 0) return undefined;
      return { reason: 'exit_code', message: `the agent exited with ${end.code}` };
    case 'signalled':
      return { reason: 'signalled', message: `the agent died of ${end.signal}` };
    case 'timed_out':
      return { reason: 'timed_out', message: "the agent did not finish in its node's time" };
    case 'output_limit':
      return { reason: 'output_limit', message: 'the agent printed more than a step may' };
    case 'memory_limit':
      return { reason: 'memory_limit', message: 'the agent used more memory than a step may' };
    case 'process_limit':
      return { reason: 'process_limit', message: 'the agent ran more processes than a step may' };
    case 'disk_limit':
      return { reason: 'disk_limit', message: 'the agent wrote more than a step may' };
    case 'stopped':
      return { reason: 'stopped', message: 'the agent was stopped' };
    case 'start_failed':
      return {
        reason: 'start_failed',
        message: `the sandbox did not start (${end.reason}): ${end.detail}`,
      };
  }
}
