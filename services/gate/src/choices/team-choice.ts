/** The teams that may be asked for: the operator's, or the built-in one, each under the hash that goes into the ticket. */
import { AppError } from '@sallyport/shared/errors';
import { readOperatorFile } from '@sallyport/shared/operator-file';
import { hashTeam } from '@sallyport/teams/team-hash';
import { NO_LEAVE, type RepositoryLeave } from '@sallyport/teams/repository-teams';
import type { Team } from '@sallyport/teams/team';
import { parseTeamsFile, TEAMS_FILE_FORM } from '@sallyport/teams/teams-file';
import { TEMPLATES } from '@sallyport/teams/templates/find-template';
import { STARTER_TEAM } from './starter-team.ts';

export interface TeamChoice {
  /** The team that runs when none is named. */
  defaultName: string;
  names: readonly string[];
  find(name: string): ChosenTeam | null;
  /** What the team files of a repository may choose; read when none of these bears the name. */
  repository: RepositoryLeave;
}

/** A team, under the hash that goes into the ticket. */
export interface ChosenTeam {
  team: Team;
  hash: string;
}

/**
 * Reads TEAMS_FILE when it is given.
 * @throws AppError `bad_config` that lists what is wrong.
 */
export function chooseTeams(path: string | undefined): TeamChoice {
  if (path === undefined) {
    return teamChoice([STARTER_TEAM, ...TEMPLATES], STARTER_TEAM.name, NO_LEAVE);
  }
  const file = parseTeamsFile(
    readOperatorFile({ variable: 'TEAMS_FILE', path, form: TEAMS_FILE_FORM }),
  );
  const { teams, defaultName, problems, repositoryTeams } = file;
  if (problems.length > 0) {
    throw new AppError('bad_config', `TEAMS_FILE: ${path}:\n  ${problems.join('\n  ')}`);
  }
  return teamChoice(teams, defaultName, repositoryTeams);
}

function teamChoice(
  teams: readonly Team[],
  defaultName: string,
  repository: RepositoryLeave,
): TeamChoice {
  const byName = new Map(teams.map((team) => [team.name, { team, hash: hashTeam(team) }]));
  return {
    defaultName,
    names: [...byName.keys()],
    find: (name) => byName.get(name) ?? null,
    repository,
  };
}
