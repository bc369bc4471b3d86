/**
 * Whether the agents of a team are known. An unknown CLI may well exist, so it is a warning; a mode that its adapter does
 * not have could only be guessed at, so it is an error.
 */
import { nearestName } from './nearest-name.ts';
import { ADAPTERS, findAdapter } from './readonly/adapters.ts';
import type { Team } from './team.ts';
import type { TeamProblem } from './team-problem.ts';

/** The problems with the nodes' agents, given the CLIs that the operator has besides those with an adapter. */
export function checkAgents(team: Team, customClis: readonly string[]): TeamProblem[] {
  return team.nodes.flatMap(({ agent }, i): TeamProblem[] => {
    const adapter = findAdapter(agent.cli);
    if (adapter === undefined) {
      if (customClis.includes(agent.cli)) return [];
      const near = nearestName(agent.cli, [...ADAPTERS.map((a) => a.cli), ...customClis]);
      return [
        {
          code: 'unknown_cli',
          severity: 'warning',
          path: ['nodes', i, 'agent', 'cli'],
          message: `no adapter knows the agent CLI "${agent.cli}": a read-only step of it rests on the written rule and the mount`,
          hint:
            near === undefined
              ? `list it in the operator's configuration if that is meant`
              : `did you mean "${near}"?`,
        },
      ];
    }
    const mode = agent.autonomous;
    if (typeof mode !== 'string' || Object.hasOwn(adapter.autonomy.modes, mode)) return [];
    return [
      {
        code: 'unknown_mode',
        severity: 'error',
        path: ['nodes', i, 'agent', 'autonomous'],
        message: `${adapter.title} has no autonomous mode "${mode}"`,
        hint: `known are ${Object.keys(adapter.autonomy.modes).join(', ')}; true means ${adapter.autonomy.usual}`,
      },
    ];
  });
}
