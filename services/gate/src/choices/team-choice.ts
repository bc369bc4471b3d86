/** The teams that may be asked for: the operator's, or the built-in one, each under the hash that goes into the ticket. */
import { AppError } from '@sallyport/shared/errors';
import { hashTeam } from '@sallyport/teams/team-hash';
import { parseTeam, type Team } from '@sallyport/teams/team';
import { z } from 'zod';
import { STARTER_TEAM } from './starter-team.ts';
import { readOperatorFile } from './operator-file.ts';

export interface TeamChoice {
  /** The team that runs when none is named. */
  defaultName: string;
  names: readonly string[];
  find(name: string): { team: Team; hash: string } | null;
}

const TeamsFileSchema = z.strictObject({
  default: z.string().optional(),
  teams: z.array(z.unknown()).min(1).max(100),
});

/**
 * Reads TEAMS_FILE, `{"default": NAME, "teams": [TEAM, …]}`, when it is given; without `default` it is the first team.
 * @throws AppError `bad_config` that lists what is wrong.
 */
export function chooseTeams(path: string | undefined): TeamChoice {
  if (path === undefined) return teamChoice([STARTER_TEAM], STARTER_TEAM.name);
  const file = TeamsFileSchema.safeParse(readOperatorFile('TEAMS_FILE', path));
  if (!file.success) {
    throw new AppError(
      'bad_config',
      `TEAMS_FILE: ${path} must be {"default": NAME, "teams": [TEAM, …]}`,
      { cause: file.error },
    );
  }
  const teams: Team[] = [];
  const problems: string[] = [];
  for (const [i, value] of file.data.teams.entries()) {
    const parsed = parseTeam(value);
    if (parsed.ok) teams.push(parsed.team);
    else problems.push(...parsed.problems.map((problem) => `teams.${i}: ${problem}`));
  }
  const names = teams.map((team) => team.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) problems.push(`the team "${twice}" stands twice`);
  const defaultName = file.data.default ?? names[0] ?? '';
  if (problems.length === 0 && !names.includes(defaultName)) {
    problems.push(`default: there is no team "${defaultName}"`);
  }
  if (problems.length > 0) {
    throw new AppError('bad_config', `TEAMS_FILE: ${path}:\n  ${problems.join('\n  ')}`);
  }
  return teamChoice(teams, defaultName);
}

function teamChoice(teams: readonly Team[], defaultName: string): TeamChoice {
  const byName = new Map(teams.map((team) => [team.name, { team, hash: hashTeam(team) }]));
  return {
    defaultName,
    names: [...byName.keys()],
    find: (name) => byName.get(name) ?? null,
  };
}
