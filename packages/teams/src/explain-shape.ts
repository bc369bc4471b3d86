/**
 * Turns what the schema has against a value into words for the author of a team file: which key was meant, what may stand
 * there, and why a loop needs a limit.
 */
import { z } from 'zod';
import { nearestName } from './nearest-name.ts';
import { TeamShapeSchema } from './team.ts';
import type { TeamProblem } from './team-problem.ts';

type Path = readonly (string | number)[];

/** The problems behind one issue; an issue that names several unknown keys becomes one problem for each. */
export function explainShape(issue: z.core.$ZodIssue, value: unknown): TeamProblem[] {
  const path: Path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKey([...path, key], key));
  }
  const found = valueAt(value, path);
  if (found === undefined) {
    const name = String(path.at(-1) ?? 'the team');
    return [problem('missing_key', path, `"${name}" is missing`)];
  }
  if (path[0] === 'nodes' && path.at(-1) === 'maxVisits' && meansUnlimited(found)) {
    return [unlimitedVisits(path, value)];
  }
  const hint = hintFor(found, path);
  const said = problem('bad_value', path, `${path.at(-1) ?? 'the team'}: ${issue.message}`);
  return [hint === undefined ? said : { ...said, hint }];
}

function unknownKey(path: Path, key: string): TeamProblem {
  const known = keysAt(path.slice(0, -1));
  const said = problem('unknown_key', path, `"${key}" is not known here`);
  const near = nearestName(key, known);
  if (near !== undefined) return { ...said, hint: `did you mean "${near}"?`, meant: near };
  return known.length === 0 ? said : { ...said, hint: `known are ${known.join(', ')}` };
}

function unlimitedVisits(path: Path, value: unknown): TeamProblem {
  const id = valueAt(value, [...path.slice(0, -1), 'id']);
  const name = typeof id === 'string' ? id : 'this node';
  const hint = 'leave maxVisits out for 3, or give a number from 1 to 20';
  return liesOnCycle(value, id)
    ? {
        ...problem('cycle_without_limit', path, `a loop comes back to "${name}" without a limit`),
        hint,
      }
    : { ...problem('bad_value', path, `"${name}" may not be visited without a limit`), hint };
}

function meansUnlimited(value: unknown): boolean {
  if (typeof value === 'number') return value <= 0 || value === Infinity;
  return value === null || value === false || typeof value === 'string';
}

/** Asked of a value that is no team yet: only what has the shape of an edge counts. */
function liesOnCycle(value: unknown, id: unknown): boolean {
  const edges = valueAt(value, ['edges']);
  if (!Array.isArray(edges) || typeof id !== 'string') return false;
  const seen = new Set<unknown>();
  const queue: unknown[] = [id];
  while (queue.length > 0) {
    const from = queue.pop();
    for (const edge of edges) {
      if (valueAt(edge, ['from']) !== from) continue;
      const to = valueAt(edge, ['to']);
      if (to === id) return true;
      if (seen.has(to)) continue;
      seen.add(to);
      queue.push(to);
    }
  }
  return false;
}

function hintFor(found: unknown, path: Path): string | undefined {
  if (path.at(-1) === 'readOnly' && typeof found === 'string') return 'write true or false';
  if (path.at(-1) === 'entry' && typeof found === 'string') return `write [${found}]`;
  return undefined;
}

/** The keys that the schema knows at a place, read from the schema itself. */
function keysAt(path: Path): string[] {
  let schema: unknown = TeamShapeSchema;
  for (const part of path) {
    const inner = unwrap(schema);
    if (inner instanceof z.ZodArray) schema = inner.element;
    else if (inner instanceof z.ZodObject)
      schema = (inner.shape as Record<string, unknown>)[String(part)];
    else return [];
  }
  const inner = unwrap(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

function unwrap(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodOptional) inner = inner.unwrap();
  return inner;
}

function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const part of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part))
      return undefined;
    found = (found as Record<string | number, unknown>)[part];
  }
  return found;
}

function problem(code: TeamProblem['code'], path: Path, message: string): TeamProblem {
  return { code, severity: 'error', path, message };
}
