/** The team that runs when the operator gives none: one agent that does the whole task. */
import { TeamSchema, type Team } from '@sallyport/teams/team';

export const STARTER_TEAM: Team = TeamSchema.parse({
  v: 1,
  name: 'starter',
  nodes: [
    {
      id: 'fix',
      agent: { cli: 'claude' },
      prompt: 'Do what the task asks, with the smallest change that does it well, and test it.',
    },
  ],
});
