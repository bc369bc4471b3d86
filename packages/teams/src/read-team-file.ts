/**
 * Reads the text of a team file. Every problem is told at once, with the line and column at which its author finds it and
 * what to do about it; a team comes out only when nothing stands against it.
 */
import { LineCounter, parseDocument, type Document } from 'yaml';
import { checkTeam } from './check-team.ts';
import type { Team } from './team.ts';
import { checkLeave, checkStorable, type RepositoryLeave } from './repository-teams.ts';
import type { TeamProblem, TeamProblemCode } from './team-problem.ts';
import { FILE_START, placeAt, placeOf } from './yaml-place.ts';

export const TEAM_FILE_MAX_BYTES = 512 * 1024;

export interface TeamFileProblem {
  /** Counted from 1. */
  line: number;
  column: number;
  code: TeamProblemCode;
  severity: 'error' | 'warning';
  message: string;
  hint?: string;
}

export interface TeamFile {
  /** Whether the team can be used: it has no problem but warnings. */
  ok: boolean;
  /** In the order of the file. */
  problems: TeamFileProblem[];
  /** Present when `ok`. */
  team?: Team;
}

export interface TeamFileOptions {
  /** Agent CLIs that the operator has besides those with an adapter; they pass without a warning. */
  customClis?: readonly string[];
  /** For a file of a repository: the name that it must bear, and what it may choose. */
  repository?: { name: string; leave: RepositoryLeave };
}

/** Reads YAML (of which JSON is a part). It does not throw. */
export function readTeamFile(text: string, options: TeamFileOptions = {}): TeamFile {
  const bytes = Buffer.byteLength(text);
  if (bytes > TEAM_FILE_MAX_BYTES) {
    const message = `the file has ${bytes} bytes; at most ${TEAM_FILE_MAX_BYTES} are read`;
    return {
      ok: false,
      problems: [{ ...FILE_START, code: 'too_large', severity: 'error', message }],
    };
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const broken = document.errors.map((error): TeamFileProblem => ({
    ...placeAt(lines, error.pos[0]),
    code: 'not_yaml',
    severity: 'error',
    message: error.message,
  }));
  if (broken.length > 0) return { ok: false, problems: broken };
  let value: unknown;
  try {
    // Aliases are followed a bounded number of times: ten lines of them can stand for a gigabyte.
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    const message = error instanceof Error ? error.message : 'the file cannot be read as YAML';
    return {
      ok: false,
      problems: [{ ...FILE_START, code: 'not_yaml', severity: 'error', message }],
    };
  }
  const { problems, team } = checkTeam(value, options.customClis);
  const further =
    team === undefined || options.repository === undefined
      ? []
      : checkRepositoryTeam(team, options.repository);
  const placed = [...problems, ...further]
    .map((problem) => withPlace(document, lines, problem))
    .toSorted((a, b) => a.line - b.line || a.column - b.column);
  return team === undefined || further.length > 0
    ? { ok: false, problems: placed }
    : { ok: true, problems: placed, team };
}

function checkRepositoryTeam(
  team: Team,
  { name, leave }: { name: string; leave: RepositoryLeave },
): TeamProblem[] {
  const problems = [...checkLeave(team, leave), ...checkStorable(team, [])];
  if (team.name === name) return problems;
  const message = `the team calls itself "${team.name}"`;
  const hint = `a team bears the name of its file: write "${name}"`;
  return [{ code: 'bad_value', severity: 'error', path: ['name'], message, hint }, ...problems];
}

function withPlace(document: Document, lines: LineCounter, problem: TeamProblem): TeamFileProblem {
  const { path, meant: _, ...rest } = problem;
  return { ...placeOf(document, lines, path, rest.code === 'unknown_key'), ...rest };
}
