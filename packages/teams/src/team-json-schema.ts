/** The published JSON Schema of a team file, for editors that complete and check while somebody writes. */
import { z } from 'zod';
import { TeamShapeSchema } from './team.ts';

/** What `schema/team.schema.json` holds; only the shape, since no schema can tell whether two writers meet. */
export function teamJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(TeamShapeSchema, { io: 'input' });
  return { $schema, title: 'Sallyport team', ...schema };
}
