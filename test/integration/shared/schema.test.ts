import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printSchema } from '@sallyport/shared/db/print-schema';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';

const FILE = join(import.meta.dirname, '../../../packages/shared/migrations/schema.sql');

let deployment: TestDeployment;
beforeAll(async () => {
  deployment = await createTestDeployment();
});
afterAll(() => deployment.close());

it('is the schema that the catalogs show (UPDATE_SCHEMA=1 prints it anew)', async () => {
  const printed = await printSchema(deployment.admin, deployment.id);
  if (process.env['UPDATE_SCHEMA'] === '1') writeFileSync(FILE, printed);
  expect(printed).toBe(readFileSync(FILE, 'utf8'));
});
