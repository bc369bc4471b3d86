/**
 * What can be wrong with a team, as a closed list of codes. The graph analysis names the place as a path into the team,
 * the reader of team files turns that into line and column; both say what to do about it.
 */

export const TEAM_PROBLEM_CODES = [
  'not_yaml',
  'too_large',
  'unknown_key',
  'missing_key',
  'bad_value',
  'duplicate_id',
  'edge_to_nowhere',
  'duplicate_edge',
  'no_entry',
  'unreachable_node',
  'no_end',
  'cycle_without_limit',
  'concurrent_writers',
  'join_never_completes',
  'unknown_cli',
  'unknown_mode',
  'not_allowed',
] as const;
export type TeamProblemCode = (typeof TEAM_PROBLEM_CODES)[number];

/** A problem with its place in the team, such as `['edges', 3, 'to']`. A `warning` does not make the team invalid. */
export interface TeamProblem {
  code: TeamProblemCode;
  severity: 'error' | 'warning';
  path: readonly (string | number)[];
  message: string;
  /** What to do about it, when there is more to say than the message does. */
  hint?: string;
  /** For an unknown key: the key that was probably meant. */
  meant?: string;
}

/** One line for a list of problems: the place, then the message. */
export function describeProblem(problem: TeamProblem): string {
  return `${problem.path.map(String).join('.') || 'the team'}: ${problem.message}`;
}
