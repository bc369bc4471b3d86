/** A developer does the task, QA verifies it: the smallest team in which somebody else looks. */
import type { TeamInput } from '../team.ts';
import { DEVELOPER_PROMPT, QA_PROMPT } from './prompts.ts';

export const DEV_QA: TeamInput = {
  v: 1,
  name: 'dev-qa',
  description: 'A developer does the task, then QA verifies it without touching it.',
  nodes: [
    { id: 'developer', agent: { cli: 'claude', autonomous: true }, prompt: DEVELOPER_PROMPT },
    {
      id: 'qa',
      agent: { cli: 'claude', autonomous: true },
      prompt: QA_PROMPT,
      readOnly: true,
    },
  ],
  edges: [{ from: 'developer', to: 'qa', on: 'done' }],
};
