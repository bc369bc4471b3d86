/**
 * Finds what a run has to do: the team as it was admitted, its node, and the agent that this host offers for it. What
 * cannot be run is told in words that somebody can act on.
 */
import { findTeamVersion } from '@sallyport/shared/db/team-version';
import type { Queryable } from '@sallyport/shared/db/pool';
import type { TicketClaims } from '@sallyport/shared/ticket/claims';
import { parseTeam, type TeamNode } from '@sallyport/teams/team';
import { hashTeam } from '@sallyport/teams/team-hash';
import type { Agent, Agents } from '../read-agents.ts';
import { failRun, stopRun } from './run-stop.ts';

export interface ChosenNode {
  node: TeamNode;
  agent: Agent;
  /** Demanded by the task or by the node: a restriction is added at any level and never removed. */
  readOnly: boolean;
}

/** @throws RunStopped `refused` when the stored team is not the ticket's, `failed` when it cannot be run here. */
export async function chooseNode(db: Queryable, claims: TicketClaims, agents: Agents): Promise<ChosenNode> {
  const parsed = parseTeam(await findTeamVersion(db, claims.team.hash));
  if (!parsed.ok || hashTeam(parsed.team) !== claims.team.hash || parsed.team.name !== claims.team.name) {
    stopRun({ kind: 'refused', why: 'team_changed' });
  }
  const { team } = parsed;
  const [node, ...more] = team.nodes;
  if (node === undefined || more.length > 0 || team.edges.length > 0) {
    failRun('team_unsupported', `the team ${team.name} has ${team.nodes.length} nodes; choose a team with one`);
  }
  if (claims.start.repository_id !== claims.repository.id) {
    failRun('start_unsupported', 'the start commit lies in another repository than the one to work on');
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
