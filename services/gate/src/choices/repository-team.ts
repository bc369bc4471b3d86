/**
 * A team that a repository brings: its file in the commit that the run will start from, held against the operator's leave.
 * Pure; what stands against a file is told with its place, to whoever asked.
 */
import type { GithubAnswer } from '@sallyport/shared/task/github-requests';
import { readTeamFile, type TeamFileProblem } from '@sallyport/teams/read-team-file';
import type { RepositoryLeave } from '@sallyport/teams/repository-teams';
import { hashTeam } from '@sallyport/teams/team-hash';
import type { ChosenTeam } from './team-choice.ts';

export const TEAMS_DIRECTORY = '.sallyport/teams';
const FILE_END = '.yaml';
const PROBLEMS_TOLD = 3;
const PROBLEM_MAX_CHARS = 400;
/** What a file's own words, or a cut through them, may hold and a table cannot. */
const UNSTORABLE = /\0|\p{Surrogate}/gu;

/** `unknown`: GitHub did not say. */
export type RepositoryTeam =
  | ({ kind: 'found'; place: string } & ChosenTeam)
  | { kind: 'absent'; names: string[] }
  | { kind: 'wrong'; message: string }
  | { kind: 'unknown' };

export interface RepositoryTeamInput {
  name: string;
  sha: string;
  /** Null when there is none that can be relied on. */
  answer: GithubAnswer<'file_at'> | null;
  leave: RepositoryLeave;
}

const PROBLEM_WORDS = {
  link: 'is a symbolic link; put the file itself there',
  submodule: 'is a submodule; put a file there',
  directory: 'is a directory; put a file there',
  too_large: 'is too large; at most 64 KiB are read',
  not_text: 'is no UTF-8 text',
  not_a_directory: `cannot be reached: ${TEAMS_DIRECTORY} must be a directory, not a link or a submodule`,
  too_many_files: `is not read: ${TEAMS_DIRECTORY} may have at most 50 entries`,
} as const;

/** The name of the file in which a team stands. */
export function teamFileName(team: string): string {
  return `${team}${FILE_END}`;
}

/** What the answer holds. */
export function readRepositoryTeam(input: RepositoryTeamInput): RepositoryTeam {
  const { name, answer, leave } = input;
  const place = `${TEAMS_DIRECTORY}/${teamFileName(name)} at ${input.sha.slice(0, 12)}`;
  if (answer === null) return { kind: 'unknown' };
  if (answer.problem !== null) {
    return { kind: 'wrong', message: `${place} ${PROBLEM_WORDS[answer.problem]}` };
  }
  if (answer.text === null) {
    return { kind: 'absent', names: answer.names.map((file) => file.slice(0, -FILE_END.length)) };
  }
  const { team, problems } = readTeamFile(answer.text, {
    customClis: leave.clis,
    repository: { name, leave },
  });
  if (team !== undefined) return { kind: 'found', place, team, hash: hashTeam(team) };
  return { kind: 'wrong', message: `${place} cannot be used:\n${describe(problems)}` };
}

function describe(problems: readonly TeamFileProblem[]): string {
  const errors = problems.filter((problem) => problem.severity === 'error');
  const told = errors.slice(0, PROBLEMS_TOLD).map(({ line, column, message, hint }) => {
    const mend = hint === undefined ? '' : ` (${hint})`;
    return `- line ${line}, column ${column}: ${message}${mend}`
      .slice(0, PROBLEM_MAX_CHARS)
      .replaceAll(UNSTORABLE, '\ufffd');
  });
  const rest = errors.length - told.length;
  return [...told, ...(rest > 0 ? [`- and ${rest} more`] : [])].join('\n');
}
