/**
 * The name of a team by its content. A ticket permits one team as it was when the task was admitted; whoever runs it
 * compares this hash, in which neither the order of fields nor an omitted default makes a difference.
 */
import { createHash } from 'node:crypto';
import { TeamSchema, type Team } from './team.ts';

/** SHA-256, in hexadecimal, over the team's canonical JSON. @throws ZodError when it is no team. */
export function hashTeam(team: Team): string {
  return createHash('sha256')
    .update(canonicalJson(TeamSchema.parse(team)))
    .digest('hex');
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
  return `{${fields.join(',')}}`;
}
