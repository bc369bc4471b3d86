/** A developer and QA, back and forth until QA passes the work or the visits are used up. */
import type { TeamInput } from '../team.ts';
import { DEVELOPER_PROMPT, QA_PROMPT } from './prompts.ts';

export const DEV_QA_LOOP: TeamInput = {
  v: 1,
  name: 'dev-qa-loop',
  description: 'A developer does the task; QA sends it back with findings until it passes.',
  nodes: [
    {
      id: 'developer',
      agent: { cli: 'claude', autonomous: true },
      prompt: `${DEVELOPER_PROMPT} When QA has sent the work back, start from its findings: settle each one, or say in your hand-off why it does not hold.`,
    },
    {
      id: 'qa',
      agent: { cli: 'claude', autonomous: true },
      prompt: QA_PROMPT,
      readOnly: true,
    },
  ],
  edges: [
    { from: 'developer', to: 'qa', on: 'done' },
    { from: 'qa', to: 'developer', on: 'fail' },
  ],
};
