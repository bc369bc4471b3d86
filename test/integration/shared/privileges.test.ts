import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printPrivileges } from '@sallyport/shared/db/print-privileges';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';

const FILE = join(import.meta.dirname, '../../../packages/shared/migrations/privileges.txt');

let deployment: TestDeployment;
beforeAll(async () => {
  deployment = await createTestDeployment();
});
afterAll(() => deployment.close());

it('is what the catalogs show of every role (UPDATE_SCHEMA=1 prints it anew)', async () => {
  const printed = await printPrivileges(deployment.admin, deployment.id);
  if (process.env['UPDATE_SCHEMA'] === '1') writeFileSync(FILE, printed);
  expect(printed).toBe(readFileSync(FILE, 'utf8'));
});

it('shows a grant to a role, to everybody, and on a single column', async () => {
  const { admin, id } = deployment;
  const before = (await printPrivileges(admin, id)).split('\n');
  await admin.query(`grant delete on task to "${id}_console"`);
  await admin.query(`grant update (state) on run to public`);
  await admin.query(`grant execute on function timeline_write(uuid, text, jsonb) to public`);
  const after = (await printPrivileges(admin, id)).split('\n');
  const fresh = after.filter((line) => !before.includes(line));
  expect(fresh).toEqual(
    expect.arrayContaining([
      '  task: select; delete',
      '  run: select; update (state)',
      '  function timeline_write(p_subject uuid, p_kind text, p_data jsonb): execute with the rights of its owner',
    ]),
  );
});
