/** The team that runs when the operator gives none: one agent that does the whole task. */
import type { Team } from '@sallyport/teams/team';

export const STARTER_TEAM: Team = {
  v: 1,
  name: 'starter',
  nodes: [
    {
      id: 'fix',
      agent: { cli: 'claude' },
      prompt: 'Do what the task asks, with the smallest change that does it well, and test it.',
      readOnly: false,
      timeoutMinutes: 30,
      attempts: 1,
    },
  ],
  edges: [],
};
