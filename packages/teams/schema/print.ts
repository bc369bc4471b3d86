/** Prints the JSON Schema of a team file: `pnpm exec tsx packages/teams/schema/print.ts > packages/teams/schema/team.schema.json`. */
import { teamJsonSchema } from '../src/team-json-schema.ts';

process.stdout.write(`${JSON.stringify(teamJsonSchema(), null, 2)}\n`);
