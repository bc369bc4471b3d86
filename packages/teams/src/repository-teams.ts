/**
 * What an operator lets the team files of a repository choose, and what stands against a file that chooses more. Whoever may
 * push to a default branch writes these files; they must not thereby start a program, open a mode or spend on a model that
 * the operator did not name.
 */
import { z } from 'zod';
import { CLI_PATTERN, NODE_ID_PATTERN, type Team } from './team.ts';
import type { TeamProblem } from './team-problem.ts';
import { findAdapter } from './readonly/adapters.ts';

/** `repositoryTeams` of the operator's file. Absent, or without `allow`: no file of a repository is read. */
export const RepositoryTeamsSchema = z
  .strictObject({
    allow: z.boolean(),
    /** The agent CLIs that may be named. */
    clis: z.array(z.string().regex(CLI_PATTERN)).max(50).default([]),
    /** The models that may be named; a node that names none gets the operator's. */
    models: z.array(z.string().min(1).max(200)).max(200).default([]),
    /** The names of the autonomous modes that may be asked for. */
    autonomous: z.array(z.string().regex(NODE_ID_PATTERN)).max(50).default([]),
    /** The arguments that may stand in `agent.args`, each exactly as here. */
    args: z.array(z.string().min(1).max(10_000)).max(200).default([]),
  })
  .refine((leave) => !leave.allow || leave.clis.length > 0);
/** What a repository's team may choose; the schema's output. */
export type RepositoryLeave = z.infer<typeof RepositoryTeamsSchema>;

/** The leave that holds when the operator says nothing. */
export const NO_LEAVE: RepositoryLeave = {
  allow: false,
  clis: [],
  models: [],
  autonomous: [],
  args: [],
};

const UNSTORABLE = /\0|\p{Surrogate}/u;

/** What a valid team chooses beyond its leave; each problem names the node, the key and what is allowed. */
export function checkLeave(team: Team, leave: RepositoryLeave): TeamProblem[] {
  return team.nodes.flatMap((node, at) => {
    const problems: TeamProblem[] = [];
    function refuse(key: string[], what: string, hint: string): void {
      problems.push({
        code: 'not_allowed',
        severity: 'error',
        path: ['nodes', at, 'agent', ...key],
        message: `node "${node.id}": ${what}`,
        hint,
      });
    }
    const { cli, command, model, autonomous, args = [] } = node.agent;
    if (!leave.clis.includes(cli)) {
      refuse(['cli'], `agent.cli "${cli}" is not allowed here`, allowed(leave.clis));
    }
    if (command !== undefined) {
      const what = 'agent.command may not be given here';
      refuse(['command'], what, 'leave it out: the program is the one that the operator set up');
    }
    if (model !== undefined && !leave.models.includes(model)) {
      refuse(['model'], `agent.model "${model}" is not allowed here`, allowed(leave.models));
    }
    const argument = args.find((one) => !leave.args.includes(one));
    if (argument !== undefined) {
      const what = `agent.args ${JSON.stringify(argument.slice(0, 80))} is not allowed here`;
      refuse(['args'], what, allowed(leave.args));
    }
    const mode = modeOf(cli, autonomous);
    if (mode !== undefined && !leave.autonomous.includes(mode)) {
      const what = `agent.autonomous "${mode}" is not allowed here`;
      refuse(['autonomous'], what, allowed(leave.autonomous));
    }
    return problems;
  });
}

/**
 * Texts that no table can hold, which YAML's escapes can say: a team with one could be admitted neither now nor at any later
 * attempt.
 */
export function checkStorable(value: unknown, path: readonly (string | number)[]): TeamProblem[] {
  if (typeof value === 'string') {
    return UNSTORABLE.test(value)
      ? [
          {
            code: 'bad_value',
            severity: 'error',
            path,
            message: `${path.at(-1) ?? 'the team'}: holds a NUL or half a character`,
            hint: 'take it out',
          },
        ]
      : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    checkStorable(member, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

/** The mode that is asked for; `true` of a CLI without an adapter stands for nothing that anybody could allow. */
function modeOf(cli: string, asked: boolean | string | undefined): string | undefined {
  if (asked === undefined || asked === false) return undefined;
  return asked === true ? (findAdapter(cli)?.autonomy.usual ?? 'true') : asked;
}

function allowed(names: readonly string[]): string {
  return names.length === 0
    ? 'nothing is allowed here: leave it out'
    : `allowed here: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`;
}
