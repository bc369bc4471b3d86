/** Holds a draft against the rules of team files, and puts each problem where whoever fills in the form will see it. */
import { AppError } from '@sallyport/shared/errors';
import { checkTeam } from '@sallyport/teams/check-team';
import { describeNode } from '@sallyport/teams/describe-node';
import { TEAM_FILE_MAX_BYTES } from '@sallyport/teams/read-team-file';
import type { Team } from '@sallyport/teams/team';
import type { TeamProblem } from '@sallyport/teams/team-problem';
import { writeTeamFile } from '@sallyport/teams/write-team-file';
import { teamValue, type TeamDraft } from './team-draft.ts';

export interface CheckedDraft {
  problems: readonly TeamProblem[];
  /** The team and its file, when nothing but warnings stands against it. */
  result?: { team: Team; text: string };
}

/** @param ownClis agent CLIs of the operator, which pass without a warning. */
export function checkDraft(draft: TeamDraft, ownClis: readonly string[]): CheckedDraft {
  const { problems, team } = checkTeam(teamValue(draft), ownClis);
  if (team === undefined) return { problems };
  const text = writeTeamFile(team);
  const further = [...startProblems(team), ...sizeProblems(text)];
  if (further.length > 0) return { problems: [...problems, ...further] };
  return { problems, result: { team, text } };
}

/** Arguments with which a node could not be started under the rule; a run would only find out when it comes there. */
function startProblems(team: Team): TeamProblem[] {
  return team.nodes.flatMap((node, i): TeamProblem[] => {
    try {
      describeNode(team, node);
      return [];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const path = ['nodes', i, 'agent', 'args'];
      return [{ code: 'bad_value', severity: 'error', path, message: error.message }];
    }
  });
}

function sizeProblems(text: string): TeamProblem[] {
  const bytes = Buffer.byteLength(text);
  if (bytes <= TEAM_FILE_MAX_BYTES) return [];
  const message = `the file would have ${bytes} bytes; at most ${TEAM_FILE_MAX_BYTES} are read`;
  return [{ code: 'too_large', severity: 'error', path: [], message }];
}
