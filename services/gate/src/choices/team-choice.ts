/** The teams that may be asked for: the operator's, or the built-in one, each under the hash that goes into the ticket. */
import { AppError } from '@sallyport/shared/errors';
import { hashTeam } from '@sallyport/teams/team-hash';
import { parseTeam, type Team } from '@sallyport/teams/team';
import { TEMPLATES } from '@sallyport/teams/templates/find-template';
import { z } from 'zod';
import { STARTER_TEAM } from './starter-team.ts';
import { chooseTemplates, TemplatesSchema } from './template-choice.ts';
import { readOperatorFile } from './operator-file.ts';

export interface TeamChoice {
  /** The team that runs when none is named. */
  defaultName: string;
  names: readonly string[];
  find(name: string): { team: Team; hash: string } | null;
}

const TeamsFileSchema = z
  .strictObject({
    default: z.string().optional(),
    teams: z.array(z.unknown()).min(1).max(100).optional(),
    templates: TemplatesSchema.optional(),
  })
  .refine((file) => file.teams !== undefined || file.templates !== undefined);
const FORM = '{"default": NAME, "teams": [TEAM, …], "templates": {"cli": CLI}}';

/**
 * Reads TEAMS_FILE when it is given: teams of the operator, shipped ones for the CLI that is named, or both. Without
 * `default` it is the first team, an operator's own before a shipped one.
 * @throws AppError `bad_config` that lists what is wrong.
 */
export function chooseTeams(path: string | undefined): TeamChoice {
  if (path === undefined) return teamChoice([STARTER_TEAM, ...TEMPLATES], STARTER_TEAM.name);
  const file = TeamsFileSchema.safeParse(readOperatorFile('TEAMS_FILE', path));
  if (!file.success) {
    throw new AppError(
      'bad_config',
      `TEAMS_FILE: ${path} must be ${FORM}, with one of the last two at least`,
      { cause: file.error },
    );
  }
  const teams: Team[] = [];
  const problems: string[] = [];
  for (const [i, value] of (file.data.teams ?? []).entries()) {
    const parsed = parseTeam(value);
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
