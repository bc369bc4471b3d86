/**
 * A file that becomes executable is a file that somebody, or a pipeline, may soon run. That can be right, so a human looks.
 */
import type { Rule } from '../rule.ts';

const EXECUTABLE = '100755';

export const execBit: Rule = {
  id: 'd02_exec_bit',
  check({ files }) {
    return files
      .filter((file) => file.newMode === EXECUTABLE && file.oldMode !== EXECUTABLE)
      .map((file) => ({
        rule: 'd02_exec_bit',
        code: 'exec_bit_set',
        severity: 'hold',
        path: file.path,
        line: null,
        reason: 'The change makes this file executable.',
        satisfiedBy: 'Mode 100644, or the approval of somebody who has read the file.',
        overridableBy: 'approver',
      }));
  },
};
