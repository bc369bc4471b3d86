/** QA and security look at the work at the same time; the release gate applies what they found. */
import type { TeamInput } from '../team.ts';
import { DEVELOPER_PROMPT, QA_PROMPT, RELEASE_GATE_PROMPT } from './prompts.ts';

export const RELEASE_SHIELD: TeamInput = {
  v: 1,
  name: 'release-shield',
  description:
    'A developer, then QA and security in parallel, then a release gate that settles it.',
  nodes: [
    { id: 'developer', agent: { cli: 'claude', autonomous: true }, prompt: DEVELOPER_PROMPT },
    {
      id: 'qa',
      agent: { cli: 'claude', autonomous: true },
      prompt: QA_PROMPT,
      readOnly: true,
    },
    {
      id: 'security',
      agent: { cli: 'claude', autonomous: true },
      prompt:
        'Review the change for what an attacker could make of it: input that is trusted too early, commands and queries put together from text, secrets that leak, rights that are not checked, dependencies that were added. Name for each finding the path, the line, how it would be used and what closes it. Outcome "pass" when you would let it ship, else "fail".',
      readOnly: true,
    },
    {
      id: 'release-gate',
      agent: { cli: 'claude', autonomous: true },
      prompt: RELEASE_GATE_PROMPT,
    },
  ],
  edges: [
    { from: 'developer', to: 'qa', on: 'done' },
    { from: 'developer', to: 'security', on: 'done' },
    { from: 'qa', to: 'release-gate' },
    { from: 'security', to: 'release-gate' },
  ],
};
