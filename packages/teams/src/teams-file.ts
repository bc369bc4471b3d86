/**
 * The operator's file of teams (TEAMS_FILE): teams of his own, shipped ones for the CLI that he has, or both. It stands here
 * because the gate admits by it and the console shows it, and both must read the same out of it.
 */
import { z } from 'zod';
import { parseTeam, type Team } from './team.ts';
import { NO_LEAVE, RepositoryTeamsSchema, type RepositoryLeave } from './repository-teams.ts';
import { chooseTemplates, TemplatesSchema } from './templates/choose-templates.ts';

const TeamsFileSchema = z
  .strictObject({
    default: z.string().optional(),
    teams: z.array(z.unknown()).min(1).max(100).optional(),
    templates: TemplatesSchema.optional(),
    repositoryTeams: RepositoryTeamsSchema.optional(),
  })
  .refine((file) => file.teams !== undefined || file.templates !== undefined);
/** What such a file looks like. */
export const TEAMS_FILE_FORM = '{"default": NAME, "teams": [TEAM, …], "templates": {"cli": CLI}}';
const REPOSITORY_FORM =
  '{"allow": true, "clis": [CLI, …], "models": [MODEL, …], "autonomous": [MODE, …], "args": [ARGUMENT, …]}, with one of "clis" at least';

export interface TeamsFile {
  /** Those without a problem. Whoever may start only on a whole file looks at `problems` first. */
  teams: readonly Team[];
  /** The team that runs when none is named: `default`, else the first, an operator's own before a shipped one. */
  defaultName: string;
  problems: readonly string[];
  /** What the team files of a repository may choose; nothing when the file says nothing or has problems. */
  repositoryTeams: RepositoryLeave;
}

/** Takes the parsed content of the file apart; every problem names its place in it. It does not throw. */
export function parseTeamsFile(value: unknown): TeamsFile {
  const file = TeamsFileSchema.safeParse(value);
  if (!file.success) {
    const problems = file.error.issues.every((issue) => issue.path[0] === 'repositoryTeams')
      ? [`repositoryTeams must be ${REPOSITORY_FORM}`]
      : [`it must be ${TEAMS_FILE_FORM}, with "teams" or "templates" at least`];
    return { teams: [], defaultName: '', problems, repositoryTeams: NO_LEAVE };
  }
  const teams: Team[] = [];
  const problems: string[] = [];
  for (const [i, candidate] of (file.data.teams ?? []).entries()) {
    const parsed = parseTeam(candidate);
    if (parsed.ok) teams.push(parsed.team);
    else problems.push(...parsed.problems.map((problem) => `teams.${i}: ${problem}`));
  }
  if (file.data.templates !== undefined) {
    const chosen = chooseTemplates(file.data.templates);
    teams.push(...chosen.teams);
    problems.push(...chosen.problems);
  }
  const names = teams.map((team) => team.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) problems.push(`the team "${twice}" stands twice`);
  const defaultName = file.data.default ?? names[0] ?? '';
  if (problems.length === 0 && !names.includes(defaultName)) {
    problems.push(`default: there is no team "${defaultName}"`);
  }
  const repositoryTeams = problems.length > 0 ? NO_LEAVE : (file.data.repositoryTeams ?? NO_LEAVE);
  return { teams, defaultName, problems, repositoryTeams };
}
