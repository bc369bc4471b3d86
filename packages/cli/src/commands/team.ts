/** `sallyport team`: the teams that ship, one team with what keeps its nodes from writing, and the check of a team file. */
import { readFileSync } from 'node:fs';
import { AppError } from '@sallyport/shared/errors';
import { describeNode } from '@sallyport/teams/describe-node';
import { readTeamFile, type TeamFile, type TeamFileProblem } from '@sallyport/teams/read-team-file';
import type { Team } from '@sallyport/teams/team';
import { findTemplate, TEMPLATES } from '@sallyport/teams/templates/find-template';
import { EXIT_CODES, wrongUse, type Call, type Command, type ExitCode } from '../command.ts';
import { nearest } from '../nearest.ts';
import { table } from '../operate/table.ts';

export const command: Command = {
  help: `usage: sallyport team list | show NAME | validate FILE [--custom-cli NAME]…

  list            the teams that ship
  show NAME       one of them, or a team file: its nodes, and what keeps the read-only ones from writing
  validate FILE   every problem of a team file with its line and column; - reads standard input

  --custom-cli N  an agent CLI that you have besides those that ship; it passes without a warning
Exit code 1: the team is not valid, or there is none of that name.`,
  options: { 'custom-cli': { type: 'string', multiple: true } },
  positionals: { min: 1, max: 2 },
  run,
};

async function run(call: Call): Promise<ExitCode> {
  const [verb, name] = call.positionals;
  if (verb === 'list' && name === undefined) return list(call);
  if (verb === 'show' && name !== undefined) return show(call, name);
  if (verb === 'validate' && name !== undefined) return validate(call, name);
  throw wrongUse(
    verb === 'show' || verb === 'validate'
      ? `team ${verb} needs ${verb === 'show' ? 'a NAME' : 'a FILE'}`
      : `"${call.positionals.join(' ')}" is not understood`,
  );
}

function list(call: Call): ExitCode {
  const teams = TEMPLATES.map(({ name, description, nodes }) => ({
    name,
    description: description ?? '',
    nodes: nodes.map((node) => ({ id: node.id, readOnly: node.readOnly })),
  }));
  call.print(
    table(
      ['team', 'nodes', 'what it does'],
      teams.map((t) => [t.name, String(t.nodes.length), t.description]),
    ),
  );
  call.answer({ ok: true, teams, problems: [] });
  return EXIT_CODES.done;
}

function show(call: Call, name: string): ExitCode {
  const template = findTemplate(name);
  if (template !== undefined) return describe(call, template, []);
  if (!/[./]/.test(name)) {
    const guess = nearest(
      name,
      TEMPLATES.map((team) => team.name),
    );
    const hint =
      guess === undefined
        ? 'sallyport team list shows those that ship'
        : `did you mean "${guess}"?`;
    throw new AppError('not_found', `no team "${name}" ships; ${hint}`);
  }
  const file = readFile(call, name);
  if (file.team !== undefined) return describe(call, file.team, file.problems);
  return report(call, name, file);
}

function describe(call: Call, team: Team, problems: readonly TeamFileProblem[]): ExitCode {
  const nodes = team.nodes.map((node) => describeNode(team, node));
  call.print(`${team.name}${team.description === undefined ? '' : `: ${team.description}`}\n`);
  for (const node of nodes) {
    const next = team.edges.filter((edge) => edge.from === node.id);
    const arrows = next.map(
      (edge) => `→ ${edge.to}${edge.on === undefined ? '' : ` on ${edge.on}`}`,
    );
    const kind = node.readOnly ? `read-only (${node.level ?? ''})` : 'writes';
    call.print([node.id, node.cli, kind, ...arrows].join('  '));
    if (node.readOnly) call.print(`    ${node.sentence}`);
  }
  for (const problem of problems) call.note(lineOf('warning', problem));
  call.answer({ ok: true, name: team.name, nodes, edges: team.edges, problems });
  return EXIT_CODES.done;
}

function validate(call: Call, name: string): ExitCode {
  return report(call, name, readFile(call, name));
}

function report(call: Call, name: string, file: TeamFile): ExitCode {
  for (const problem of file.problems) call.print(lineOf(name, problem));
  if (file.ok) call.print(`${name}: the team ${file.team?.name ?? ''} is valid`);
  call.answer({ ok: file.ok, problems: file.problems });
  return file.ok ? EXIT_CODES.done : EXIT_CODES.no;
}

function lineOf(name: string, problem: TeamFileProblem): string {
  const { line, column, severity, message, code, hint } = problem;
  return `${name}:${line}:${column}: ${severity}: ${message} [${code}]${hint === undefined ? '' : `; ${hint}`}`;
}

function readFile(call: Call, name: string): TeamFile {
  const custom = call.values['custom-cli'];
  const customClis = Array.isArray(custom) ? custom.map(String) : [];
  let text: string;
  try {
    text = readFileSync(name === '-' ? 0 : name, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new AppError('bad_input', `cannot read ${name} (${code})`, { cause });
  }
  return readTeamFile(text, { customClis });
}
