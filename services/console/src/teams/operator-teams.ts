/**
 * The operator's teams, for showing. A file that the gate would not start with must not keep the console from starting too:
 * here is the halt, and here somebody looks for what is wrong.
 */
import { readOperatorFile } from '@sallyport/shared/operator-file';
import type { Team } from '@sallyport/teams/team';
import { parseTeamsFile, TEAMS_FILE_FORM } from '@sallyport/teams/teams-file';

export interface OperatorTeams {
  /** Whether the console was told of a file. */
  given: boolean;
  teams: readonly Team[];
  /** The team that runs when none is named. */
  defaultName: string;
  problems: readonly string[];
}

export const NO_OPERATOR_TEAMS: OperatorTeams = {
  given: false,
  teams: [],
  defaultName: '',
  problems: [],
};

/** Reads TEAMS_FILE where there is one. It does not throw; what is wrong is among the problems. */
export function readOperatorTeams(path: string | undefined): OperatorTeams {
  if (path === undefined) return NO_OPERATOR_TEAMS;
  try {
    const file = readOperatorFile({ variable: 'TEAMS_FILE', path, form: TEAMS_FILE_FORM });
    return { given: true, ...parseTeamsFile(file) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read';
    return { ...NO_OPERATOR_TEAMS, given: true, problems: [reason] };
  }
}
