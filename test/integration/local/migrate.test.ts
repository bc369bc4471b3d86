/** `sallyport migrate` against a real server: what the one-shot container of a deployment does. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMANDS } from '@sallyport/cli/command-table';
import { runCli } from '@sallyport/cli/run-cli';
import { dropDeployment } from '@sallyport/shared/db/provision';
import { PROCESSES, roleName } from '@sallyport/shared/processes';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';

const id = `t_${randomBytes(6).toString('hex')}`;
let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sp-test-migrate-'));
  writeFileSync(join(dir, 'database-url'), inject('adminDatabaseUrl'));
  for (const name of PROCESSES) writeFileSync(join(dir, `${name}-password`), `secret-of-${name}\n`);
  vi.stubEnv('DATABASE_URL_FILE', join(dir, 'database-url'));
  vi.stubEnv('DEPLOYMENT_ID', id);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
  await dropDeployment(inject('adminDatabaseUrl'), id);
});

async function migrate(): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const streams = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  const code = await runCli(['migrate', '--passwords', dir, '--json'], COMMANDS, streams);
  return { code, out, err };
}

async function signsIn(name: (typeof PROCESSES)[number], password: string): Promise<boolean> {
  const url = new URL(inject('adminDatabaseUrl'));
  url.username = roleName(id, name);
  url.password = password;
  const client = new pg.Client({ connectionString: url.toString() });
  try {
    await client.connect();
    await client.query(`select version from ${id}.schema_migration`);
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

it('makes the roles with the passwords of the files, and may be run again', async () => {
  for (const turn of ['first', 'second']) {
    const { code, out } = await migrate();
    expect({ turn, code }).toEqual({ turn, code: 0 });
    expect(JSON.parse(out)).toMatchObject({ ok: true, deployment: id });
  }
  expect(await signsIn('gate', 'secret-of-gate')).toBe(true);
  expect(await signsIn('gate', 'secret-of-intake')).toBe(false);
});

it('makes nothing when a password is missing, and names the file', async () => {
  rmSync(join(dir, 'importer-password'));
  const { code, err } = await migrate();
  expect(code).toBe(2);
  expect(err).toContain(join(dir, 'importer-password'));
  expect(await signsIn('gate', 'secret-of-gate')).toBe(false);
});
