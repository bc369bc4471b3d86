/** Reproduce, fix, verify: whoever fixes a bug neither says that it exists nor that it is gone. */
import type { TeamInput } from '../team.ts';

export const BUG_HUNT: TeamInput = {
  v: 1,
  name: 'bug-hunt',
  description: 'One agent reproduces the bug, a second fixes it, a third verifies the fix.',
  nodes: [
    {
      id: 'reproduction',
      agent: { cli: 'claude', autonomous: true },
      prompt:
        'Find out whether the reported bug is real. Run the code and its tests, narrow the cause down to a file and a line, and write down the shortest way to see it happen. Outcome "done" when you have seen it, with the cause as a finding and the steps in the summary; "blocked" when you could not, with everything that you tried.',
      readOnly: true,
    },
    {
      id: 'fix',
      agent: { cli: 'claude', autonomous: true },
      prompt:
        'Fix the bug that was reproduced for you, at its cause and with the smallest change that does it well. Add a test that fails without your change. Leave existing tests as strict as they are. Outcome "done" when the bug is fixed; "blocked" when the cause lies elsewhere than was found.',
    },
    {
      id: 'verification',
      agent: { cli: 'claude', autonomous: true },
      prompt:
        'Verify the fix as somebody who did not write it. Follow the steps of the reproduction, run the whole test suite, and look for cases next to the fixed one. Outcome "pass" when the bug is gone and nothing else broke; "fail" with a finding for everything that is left.',
      readOnly: true,
    },
  ],
  edges: [
    { from: 'reproduction', to: 'fix', on: 'done' },
    { from: 'fix', to: 'verification', on: 'done' },
    { from: 'verification', to: 'fix', on: 'fail' },
  ],
};
