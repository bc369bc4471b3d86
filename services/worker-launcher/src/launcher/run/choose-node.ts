/**
 * Finds what a run has to do: the node of its team, and the agent that this host offers for it. What cannot be run is told
 * in words that somebody can act on.
 */
import type { TeamNode } from '@sallyport/teams/team';
import type { Agent, Agents } from '../read-agents.ts';
import { failRun } from './run-stop.ts';
import type { AdmittedRun } from './work.ts';

export interface ChosenNode {
  node: TeamNode;
  agent: Agent;
  /** Demanded by the task or by the node: a restriction is added at any level and never removed. */
  readOnly: boolean;
}

/** @throws RunStopped `failed` when this cannot be run here. */
export function chooseNode(
  { claims, team }: Pick<AdmittedRun, 'claims' | 'team'>,
  agents: Agents,
): ChosenNode {
  const [node, ...more] = team.nodes;
  if (node === undefined || more.length > 0 || team.edges.length > 0) {
    failRun(
      'team_unsupported',
      `the team ${team.name} has ${team.nodes.length} nodes; choose a team with one`,
    );
  }
  if (claims.start.repository_id !== claims.repository.id) {
    failRun(
      'start_unsupported',
      'the start commit lies in another repository than the one to work on',
    );
  }
  const { cli } = node.agent;
  const agent = agents.get(cli);
  if (agent === undefined) {
    const known = [...agents.keys()].toSorted().join(', ') || 'none';
    const mend = `add "${cli}" to AGENTS_FILE of the launcher, or choose a team without it`;
    failRun('unknown_cli', `no agent "${cli}" is known here (known: ${known}); ${mend}`);
  }
  return { node, agent, readOnly: node.readOnly || claims.read_only };
}
