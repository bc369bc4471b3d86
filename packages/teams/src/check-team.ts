/**
 * Everything that stands against a team, whatever it was read from: its shape, its graph, its agents. Readers of files turn
 * the places into lines, the console's form into fields.
 */
import type { z } from 'zod';
import { checkAgents } from './check-agents.ts';
import { explainShape } from './explain-shape.ts';
import { TeamShapeSchema, type Team } from './team.ts';
import type { TeamProblem } from './team-problem.ts';
import { validateTeam } from './validate-team.ts';

export interface CheckedTeam {
  problems: readonly TeamProblem[];
  /** Present when the team can be used: it has no problem but warnings. */
  team?: Team;
}

/** Checks a value; `customClis` are agent CLIs of the operator, which pass without a warning. */
export function checkTeam(value: unknown, customClis: readonly string[] = []): CheckedTeam {
  const parsed = TeamShapeSchema.safeParse(value);
  if (!parsed.success) return { problems: shapeProblems(parsed.error, value) };
  const problems = [...validateTeam(parsed.data), ...checkAgents(parsed.data, customClis)];
  return problems.some((problem) => problem.severity === 'error')
    ? { problems }
    : { problems, team: parsed.data };
}

/** A mistyped key is one problem, not two: what it was meant to be is then not told as missing. */
function shapeProblems(error: z.ZodError, value: unknown): TeamProblem[] {
  const problems = error.issues.flatMap((issue) => explainShape(issue, value));
  const mistyped = new Set(problems.map((problem) => meantKey(problem)));
  return problems.filter((p) => p.code !== 'missing_key' || !mistyped.has(JSON.stringify(p.path)));
}

function meantKey({ path, meant }: TeamProblem): string | undefined {
  return meant === undefined ? undefined : JSON.stringify([...path.slice(0, -1), meant]);
}
