import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { teamJsonSchema } from './team-json-schema.ts';

test('the published JSON Schema is the one that the code checks by', async () => {
  const file = new URL('../schema/team.schema.json', import.meta.url);
  const published: unknown = JSON.parse(readFileSync(file, 'utf8'));
  // Mended by: pnpm exec tsx packages/teams/schema/print.ts > packages/teams/schema/team.schema.json
  expect(published).toEqual(teamJsonSchema());
});
