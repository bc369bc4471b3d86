/** A feature in parts: planned once, built by developers one after another, tested, settled. */
import type { TeamInput } from '../team.ts';
import { DEVELOPER_PROMPT, RELEASE_GATE_PROMPT } from './prompts.ts';

export const FEATURE_SQUAD: TeamInput = {
  v: 1,
  name: 'feature-squad',
  description: 'A planner, two developers one after another, a tester and a release gate.',
  nodes: [
    {
      id: 'planner',
      agent: { cli: 'claude', autonomous: true },
      prompt:
        'Plan the feature. Read the code that it touches and write a plan of two parts, where the project keeps its plans and in the summary of your hand-off: the first part is what everything else rests on, the second what people will see. Name files, interfaces and the tests that each part needs. Write no code of the feature itself.',
    },
    {
      id: 'foundation-developer',
      agent: { cli: 'claude', autonomous: true },
      prompt: `${DEVELOPER_PROMPT} Build the first part of the plan, with its tests, and leave the second to the developer who follows you.`,
    },
    {
      id: 'surface-developer',
      agent: { cli: 'claude', autonomous: true },
      prompt: `${DEVELOPER_PROMPT} Build the second part of the plan on what the first developer left, and check that both fit together.`,
    },
    {
      id: 'tester',
      agent: { cli: 'claude', autonomous: true },
      prompt:
        'Test the finished feature against the task and the plan. Run the suite, try the feature the way somebody would use it, and try what nobody planned for: empty, large, repeated, at the same time. Outcome "pass" or "fail", with a finding for every defect.',
      readOnly: true,
    },
    {
      id: 'release-gate',
      agent: { cli: 'claude', autonomous: true },
      prompt: RELEASE_GATE_PROMPT,
    },
  ],
  edges: [
    { from: 'planner', to: 'foundation-developer', on: 'done' },
    { from: 'foundation-developer', to: 'surface-developer', on: 'done' },
    { from: 'surface-developer', to: 'tester', on: 'done' },
    { from: 'tester', to: 'release-gate' },
  ],
};
