/** One node of a team for people: may it write, and if not, what keeps it from that. One source for command and console. */
import type { ReadOnlyLevel } from './restriction-words.ts';
import { findAdapter } from './readonly/adapters.ts';
import { planStep, type StepPlan } from './readonly/plan-step.ts';
import { newestVerified } from './readonly/verification.ts';
import type { Team, TeamNode } from './team.ts';

export interface NodeDescription extends Pick<
  StepPlan,
  'enforcedBy' | 'verified' | 'leavesOpen' | 'sentence' | 'argv'
> {
  id: string;
  cli: string;
  readOnly: boolean;
  /** Null for a node that may write. */
  level: ReadOnlyLevel | null;
}

/**
 * As the node would be started with the newest version that its CLI was verified on.
 * @throws AppError `bad_input` when its arguments cannot be started under the rule.
 */
export function describeNode(team: Team, node: TeamNode): NodeDescription {
  const { cli } = node.agent;
  const adapter = findAdapter(cli);
  const plan = planStep({
    team,
    node,
    taskReadOnly: false,
    agent: {
      argv: [adapter?.binary ?? cli],
      env: {},
      version: adapter === undefined ? undefined : newestVerified(adapter),
    },
    mounts: [],
  });
  return {
    id: node.id,
    cli,
    readOnly: plan.restriction !== null,
    level: plan.restriction?.level ?? null,
    enforcedBy: plan.enforcedBy,
    verified: plan.verified,
    leavesOpen: plan.leavesOpen,
    sentence: plan.sentence,
    argv: plan.argv,
  };
}
