/**
 * Settles how each node of a team will be started on this host, before any of them is: arguments, environment, prompt
 * sentences, mounts and their fingerprint. What cannot be run is told at once, in words that somebody can act on, and not
 * after the first steps have been paid for.
 */
import { errorCodeOf } from '@sallyport/shared/errors';
import { buildGraph, type TeamGraph } from '@sallyport/teams/graph/team-graph';
import type { PolicyMount } from '@sallyport/teams/readonly/effective-policy';
import { planStep, type StepPlan } from '@sallyport/teams/readonly/plan-step';
import type { Team, TeamNode } from '@sallyport/teams/team';
import { HISTORY_TARGET } from '../collector/layout.ts';
import type { Agent, Agents } from '../read-agents.ts';
import { failRun } from '../run/run-stop.ts';
import {
  FILES_DIRECTORY,
  GIT_TARGET,
  IN,
  OUT,
  STEP_LIMITS,
  stepEnvironment,
  TREE,
} from '../run/step-places.ts';
import type { AdmittedRun } from '../run/work.ts';

export interface PlannedNode {
  node: TeamNode;
  agent: Agent;
  /** With every restriction of task, team, node and agent applied. */
  readOnly: boolean;
  plan: StepPlan;
}

export interface PlannedTeam {
  nodes: ReadonlyMap<string, PlannedNode>;
  graph: TeamGraph;
}

/** @throws RunStopped `failed` when this team cannot be run here. */
export function planNodes(
  { claims, team }: Pick<AdmittedRun, 'claims' | 'team'>,
  agents: Agents,
): PlannedTeam {
  if (claims.start.repository_id !== claims.repository.id) {
    failRun(
      'start_unsupported',
      'the start commit lies in another repository than the one to work on',
    );
  }
  const planned = team.nodes.map((node) => planNode(team, node, claims.read_only, agents));
  const nodes = new Map(planned.map((one) => [one.node.id, one]));
  return { nodes, graph: buildGraph(team) };
}

function planNode(team: Team, node: TeamNode, taskReadOnly: boolean, agents: Agents): PlannedNode {
  const agent = agentOf(node, agents);
  // Asked twice, because the mounts depend on whether the step may write, and the fingerprint on the mounts.
  const restricted = planFor(team, node, agent, taskReadOnly, []).restriction !== null;
  const plan = planFor(team, node, agent, taskReadOnly, mountsOf(agent, restricted));
  return { node, agent, readOnly: restricted, plan };
}

function agentOf(node: TeamNode, agents: Agents): Agent {
  const { cli } = node.agent;
  const agent = agents.get(cli);
  if (agent !== undefined) return agent;
  const known = [...agents.keys()].toSorted().join(', ') || 'none';
  const mend = `add "${cli}" to AGENTS_FILE of the launcher, or choose a team without it`;
  failRun('unknown_cli', `no agent "${cli}" is known here (known: ${known}); ${mend}`);
}

function planFor(
  team: Team,
  node: TeamNode,
  agent: Agent,
  taskReadOnly: boolean,
  mounts: readonly PolicyMount[],
): StepPlan {
  try {
    return planStep({
      team,
      node,
      taskReadOnly,
      agent: {
        argv: agent.argv,
        env: stepEnvironment(agent),
        version: agent.version,
        readOnly: agent.readOnly,
      },
      filesDirectory: FILES_DIRECTORY,
      mounts,
      further: { network: 'none', limits: STEP_LIMITS, timeoutMinutes: node.timeoutMinutes },
    });
  } catch (error) {
    if (errorCodeOf(error) !== 'bad_input' || !(error instanceof Error)) throw error;
    failRun('agent_refused', `node ${node.id}: ${error.message}`, { cause: error });
  }
}

/** What the fingerprint says of the mounts: paths of the host differ between attempts and permit nothing. */
function mountsOf(agent: Agent, readOnly: boolean): PolicyMount[] {
  return [
    { role: 'tree', target: TREE, access: readOnly ? 'throw_away' : 'read_write' },
    ...(readOnly ? [{ role: 'git', target: GIT_TARGET, access: 'read_only' }] : []),
    { role: 'history', target: HISTORY_TARGET, access: 'read_only' },
    { role: 'in', target: IN, access: 'read_only' },
    { role: 'out', target: OUT, access: 'read_write' },
    ...agent.mounts.map(({ inside }) => ({ role: 'agent', target: inside, access: 'read_only' })),
  ];
}
